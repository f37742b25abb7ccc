package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"
)

// MaxManifestBytes is the largest manifest, and the largest file of labels, that is read.
const MaxManifestBytes = 16 << 20

// ReadManifest reads a manifest, fills in defaults and validates it. Reading is strict: a field that the format does not have, has
// twice or spells otherwise is an error with its line and column, as is anything behind the object. A labels_file is not opened;
// ReadManifestFile does that.
func ReadManifest(r io.Reader) (Manifest, error) {
	m, err := readManifest(r)
	if err != nil {
		return Manifest{}, fmt.Errorf("models: manifest: %w", err)
	}
	return m, nil
}

func readManifest(r io.Reader) (Manifest, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxManifestBytes+1))
	if err != nil {
		return Manifest{}, err
	}
	m, err := parseManifest(data)
	if err != nil {
		return Manifest{}, err
	}
	if err := m.validate(); err != nil {
		return Manifest{}, err
	}
	return m.withDefaults(), nil
}

// ReadManifestFile reads a manifest and the file of labels that it may name, a path relative to it and below its folder.
func ReadManifestFile(path string) (Manifest, error) {
	m, err := readManifestFS(osFiles{}, path)
	if err != nil {
		return Manifest{}, fmt.Errorf("models: %w", err)
	}
	return m, nil
}

// isLocal tells whether a slash-separated path of a manifest stays below its folder.
func isLocal(path string) bool { return filepath.IsLocal(filepath.FromSlash(path)) }

// files is where manifests and files of labels are read from: the disk, or what is embedded.
type files interface {
	Open(path string) (io.ReadCloser, error)
	Join(dir, name string) string
	Dir(path string) string
}

type osFiles struct{}

func (osFiles) Open(path string) (io.ReadCloser, error) { return openRegular(path) }
func (osFiles) Join(dir, name string) string            { return filepath.Join(dir, filepath.FromSlash(name)) }
func (osFiles) Dir(path string) string                  { return filepath.Dir(path) }

func readManifestFS(fs files, path string) (Manifest, error) {
	f, err := fs.Open(path)
	if err != nil {
		return Manifest{}, fmt.Errorf("manifest: %w", err)
	}
	defer f.Close()
	m, err := readManifest(f)
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", path, err)
	}
	if m.LabelsFile == "" {
		return m, nil
	}
	if !isLocal(m.LabelsFile) {
		return Manifest{}, fmt.Errorf("%s: labels_file: %q is not a path below the manifest's folder", path, clip(m.LabelsFile))
	}
	name := fs.Join(fs.Dir(path), m.LabelsFile)
	if m.Labels, err = readLabels(fs, name); err != nil {
		return Manifest{}, fmt.Errorf("%s: labels_file: %w", path, err)
	}
	m.LabelsFile = ""
	if err := m.validate(); err != nil { // again: labels against each other and against the prior
		return Manifest{}, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// readLabels reads one label a line. A byte order mark, carriage returns and blank lines at the end are forgiven.
func readLabels(fs files, path string) ([]string, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxManifestBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxManifestBytes {
		return nil, fmt.Errorf("%s: more than %d bytes", path, MaxManifestBytes)
	}
	return splitLabels(string(data)), nil
}

func splitLabels(text string) []string {
	text = strings.TrimRight(strings.TrimPrefix(text, "\ufeff"), "\r\n\t ")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// Write writes the manifest as indented JSON with the fields in the order of the struct, so that equal manifests give equal bytes.
// It validates first: what is written can be read.
func (m Manifest) Write(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("models: manifest: %w", err)
	}
	if _, err := w.Write(compactNumbers(buf.Bytes())); err != nil {
		return fmt.Errorf("models: manifest: %w", err)
	}
	return nil
}

// compactNumbers puts arrays of numbers on one line: three means on three lines read badly. Indented JSON has a line break between
// two numbers only inside such an array, and never inside a string.
func compactNumbers(data []byte) []byte {
	lines := bytes.Split(data, []byte("\n"))
	var out [][]byte
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if bytes.HasSuffix(line, []byte("[")) {
			end := i + 1
			for end < len(lines) && isNumber(lines[end]) {
				end++
			}
			if end > i+1 && end < len(lines) {
				var parts [][]byte
				for _, l := range lines[i+1 : end] {
					parts = append(parts, bytes.TrimSpace(l))
				}
				line = append(append(bytes.Clone(line), bytes.Join(parts, []byte(" "))...), bytes.TrimSpace(lines[end])...)
				i = end
			}
		}
		out = append(out, line)
	}
	return bytes.Join(out, []byte("\n"))
}

func isNumber(line []byte) bool {
	text := bytes.TrimSuffix(bytes.TrimSpace(line), []byte(","))
	return len(text) > 0 && (text[0] == '-' || text[0] >= '0' && text[0] <= '9')
}

func parseManifest(data []byte) (Manifest, error) {
	var m Manifest
	if len(data) > MaxManifestBytes {
		return m, fmt.Errorf("more than %d bytes", MaxManifestBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := checkFields(data, reflect.TypeFor[Manifest]()); err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return m, fmt.Errorf("%s: %s: got %s, want %s", position(data, wrong.Offset-1), wrong.Field, wrong.Value, jsonType(wrong.Type))
		}
		return m, err
	}
	return m, nil
}

// jsonType names a Go type in JSON's words.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// checkFields walks the tokens of a JSON object and reports the first field that the struct type does not have or that occurs
// twice, with its path and position. encoding/json itself takes a field in any case, lets the last of two win, and names an
// unknown one without saying where it is.
func checkFields(data []byte, t reflect.Type) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	tok, err := dec.Token()
	if err != nil {
		return syntaxError(data, dec, err)
	}
	if tok != json.Delim('{') {
		return fmt.Errorf("%s: want a JSON object", position(data, 0))
	}
	if err := checkObject(data, dec, t, ""); err != nil {
		return err
	}
	end := dec.InputOffset()
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("%s: something follows the object", position(data, end))
	}
	return nil
}

// checkObject checks the fields of an object whose opening brace has been read.
func checkObject(data []byte, dec *json.Decoder, t reflect.Type, path string) error {
	fields := fieldTypes(t)
	return walkFields(data, dec, path, func(name string, start int64) error {
		ft, known := fields[name]
		if !known {
			return fmt.Errorf("%s: unknown field %q", position(data, start), clip(path+name))
		}
		return checkValue(data, dec, ft, path+name)
	})
}

// walkFields calls check with the name of each field of an object whose opening brace has been read, and where it stands; check reads the
// value. None occurs twice.
func walkFields(data []byte, dec *json.Decoder, path string, check func(name string, start int64) error) error {
	seen := map[string]bool{}
	for dec.More() {
		start := dec.InputOffset()
		tok, err := dec.Token()
		if err != nil {
			return syntaxError(data, dec, err)
		}
		name, _ := tok.(string) // the decoder gives nothing else for a key
		if seen[name] {
			return fmt.Errorf("%s: field %q occurs twice", position(data, start), clip(path+name))
		}
		seen[name] = true
		if err := check(name, start); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return syntaxError(data, dec, err)
	}
	return nil
}

// checkValue reads one value. Objects are checked where the struct has an object; elsewhere decoding reports the wrong type, so the
// tokens are only skipped.
func checkValue(data []byte, dec *json.Decoder, t reflect.Type, path string) error {
	tok, err := dec.Token()
	if err != nil {
		return syntaxError(data, dec, err)
	}
	if t.Kind() == reflect.Pointer { // a section that may be left out
		t = t.Elem()
	}
	if tok == json.Delim('{') && t.Kind() == reflect.Struct {
		return checkObject(data, dec, t, path+".")
	}
	if tok == json.Delim('{') && t.Kind() == reflect.Map {
		return checkMap(data, dec, path+".")
	}
	for depth := nesting(tok); depth > 0; depth += nesting(tok) {
		if tok, err = dec.Token(); err != nil {
			return syntaxError(data, dec, err)
		}
	}
	return nil
}

// checkMap checks an object with names of its user's, whose opening brace has been read: none has null for a value, which
// decoding would take for 0.
func checkMap(data []byte, dec *json.Decoder, path string) error {
	return walkFields(data, dec, path, func(name string, start int64) error {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return syntaxError(data, dec, err)
		}
		if string(value) == "null" {
			return fmt.Errorf("%s: %s: got null, want a whole number", position(data, start), clip(path+name))
		}
		return nil
	})
}

func nesting(tok json.Token) int {
	switch tok {
	case json.Delim('{'), json.Delim('['):
		return 1
	case json.Delim('}'), json.Delim(']'):
		return -1
	}
	return 0
}

// fieldTypes maps the JSON name of each field of a struct to its type.
func fieldTypes(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[name] = f.Type
	}
	return fields
}

// syntaxError adds the place of an error to it. SyntaxError counts the bytes that were read, so the last of them is at fault.
func syntaxError(data []byte, dec *json.Decoder, err error) error {
	offset := dec.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = syntax.Offset - 1
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the text ends too early", position(data, int64(len(data))))
	}
	return fmt.Errorf("%s: %w", position(data, offset), err)
}

// position names the place of the first token at or behind an offset, as "line 3, column 7", both from 1, columns in bytes.
func position(data []byte, offset int64) string {
	at := int(min(max(offset, 0), int64(len(data))))
	for at < len(data) && strings.IndexByte(" \t\r\n,:", data[at]) >= 0 {
		at++
	}
	before := data[:at]
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(before, []byte("\n")), at-bytes.LastIndexByte(before, '\n'))
}
