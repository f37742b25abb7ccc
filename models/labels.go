package models

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// labelKeys are the metadata keys under which exporters put class names, in the order in which they are tried: Ultralytics uses
// names, QGIS Deepness class_names, OpenVINO training extensions "model_info labels"; the others are what people write by hand.
var labelKeys = []string{"names", "classes", "class_names", "labels", "label_names", "id2label", "model_info labels"}

// metadataLabels finds class names in a model's metadata. It returns the key too, or "" if there are none. A key whose value cannot
// be read, or that lists another number of names than there are classes, is passed over and said in notes.
func metadataLabels(metadata map[string]string, classes int) (labels []string, key string, notes []string) {
	for _, key := range labelKeys {
		text, ok := metadata[key]
		if !ok {
			continue
		}
		labels, err := namesFrom(key, text)
		if err == nil && len(labels) != classes && classes > 0 {
			err = fmt.Errorf("%d names for %d classes", len(labels), classes)
		}
		if err == nil {
			return labels, key, notes
		}
		notes = append(notes, fmt.Sprintf("labels: the model's metadata %q were not used: %v", key, err))
	}
	return nil, "", notes
}

func namesFrom(key, text string) ([]string, error) {
	text = strings.TrimSpace(text)
	if key == "model_info labels" { // separated by spaces; spaces in names were made underscores
		return strings.Fields(text), nil
	}
	if strings.IndexAny(text, "{[(") == 0 {
		return parseNames(text)
	}
	if strings.Contains(text, "\n") {
		return splitLabels(text), nil
	}
	if strings.Contains(text, ",") {
		names := strings.Split(text, ",")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		return names, nil
	}
	return nil, fmt.Errorf("%q is no list of names", clip(text))
}

// tidyLabels makes labels from elsewhere usable: control characters and outer spaces go, an empty name becomes class_i, and a
// repeated one gets a number, "crane (2)", because two classes under one name could not be told apart in any output. It says what
// it changed.
func tidyLabels(labels []string) (out, notes []string) {
	out = slices.Clone(labels)
	seen := map[string]bool{}
	for i, l := range labels {
		name := strings.TrimSpace(strings.Map(printable, strings.ToValidUTF8(l, "?")))
		if len(name) > maxLabelSize {
			name = strings.TrimSpace(strings.ToValidUTF8(name[:maxLabelSize-16], ""))
		}
		if name == "" {
			name = fmt.Sprintf("class_%d", i)
		}
		base := name
		for n := 2; seen[name]; n++ {
			name = fmt.Sprintf("%s (%d)", base, n)
		}
		seen[name] = true
		if out[i] = name; name != l {
			notes = append(notes, fmt.Sprintf("labels[%d]: %q was made %q", i, clip(l), clip(name)))
		}
	}
	if len(notes) > 10 { // a list of a thousand would hide every other note
		notes = append(notes[:10], fmt.Sprintf("labels: and %d more like these", len(notes)-10))
	}
	return out, notes
}

func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// numberedLabels returns class_0, class_1, and so on.
func numberedLabels(n int) []string {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = fmt.Sprintf("class_%d", i)
	}
	return labels
}
