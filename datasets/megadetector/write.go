package megadetector

import "github.com/oatta/oatta/datasets/internal/rawjson"

// AppendInfo appends the detector's "info" as an object that is left open for more fields, without those of a classifier. It has a
// format_version.
func (f *File) AppendInfo(dst []byte) []byte {
	info := members(f.info).Without("classifier", "classification_completion_time", "classifier_metadata", "oatta")
	if version := "format_version"; !info.Value(version).Set() {
		written := rawjson.Member{Name: version, Value: rawjson.Value{Text: []byte(`"` + FormatVersion + `"`)}}
		info = append(rawjson.Object{written}, info.Without(version)...)
	}
	return info.AppendOpen(dst)
}

// members returns those of an object that was read.
func members(v rawjson.Value) rawjson.Object {
	all, err := v.Members()
	if err != nil {
		panic("megadetector: what was read cannot be read again: " + err.Error())
	}
	return all
}

// AppendCategories appends "detection_categories" as an object.
func (f *File) AppendCategories(dst []byte) []byte {
	dst = append(dst, '{')
	for i, c := range f.categories {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, c.id), ':')
		dst = rawjson.AppendString(dst, c.name)
	}
	return append(dst, '}')
}

// AppendOpen appends the image's fields as an object that is left open, without "detections". Further fields are those that it does not
// have yet; those without a value are left out.
func (im *Image) AppendOpen(dst []byte, further ...[2]string) []byte {
	dst = im.Fields.Without("detections").AppendOpen(dst)
	for _, f := range further {
		if f[1] != "" && !im.Fields.Value(f[0]).Set() {
			dst = append(rawjson.AppendString(append(dst, ','), f[0]), ':')
			dst = rawjson.AppendString(dst, f[1])
		}
	}
	return dst
}

// Append appends the image and its detections as they were read, but for classifications.
func (im *Image) Append(dst []byte) []byte {
	dst = append(im.AppendOpen(dst), `,"detections":`...)
	if im.Failure != "" && len(im.Detections) == 0 {
		return append(dst, "null}"...)
	}
	dst = append(dst, '[')
	for k := range im.Detections {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = append(im.Detections[k].AppendOpen(dst), '}')
	}
	return append(dst, "]}"...)
}

// AppendOpen appends the detection as an object that is left open for more fields, without those of a classifier.
func (d *Detection) AppendOpen(dst []byte) []byte {
	return members(d.Raw).Without("classifications", "raw_classifications", "gate", "adapted_mode").AppendOpen(dst)
}
