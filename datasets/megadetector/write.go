package megadetector

// AppendInfo appends the detector's "info" as an object that is left open for more fields, without those of a classifier. It has a
// format_version.
func (f *File) AppendInfo(dst []byte) []byte {
	info := f.info.without("classifier", "classification_completion_time", "classifier_metadata", "oatta")
	if info.value("format_version") == nil {
		info = append(object{{"format_version", []byte(`"` + FormatVersion + `"`)}}, info.without("format_version")...)
	}
	return info.appendOpen(dst)
}

// AppendCategories appends "detection_categories" as an object.
func (f *File) AppendCategories(dst []byte) []byte {
	dst = append(dst, '{')
	for i, c := range f.categories {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, c.id), ':')
		dst = appendText(dst, c.name)
	}
	return append(dst, '}')
}

// AppendOpen appends the image's fields as an object that is left open, without "detections". Further fields are those that it does not
// have yet; those without a value are left out.
func (im *Image) AppendOpen(dst []byte, further ...[2]string) []byte {
	dst = im.fields.appendOpen(dst)
	for _, f := range further {
		if f[1] != "" && im.fields.value(f[0]) == nil {
			dst = append(appendText(append(dst, ','), f[0]), ':')
			dst = appendText(dst, f[1])
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
	fields, err := members(d.raw)
	if err != nil {
		panic("megadetector: what was read cannot be read again: " + err.Error())
	}
	return fields.without("classifications", "raw_classifications", "gate", "adapted_mode").appendOpen(dst)
}
