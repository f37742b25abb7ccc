package weights

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/npy"
)

// part is a member of an archive. With a claim other than 0 the data stand as they are, and the claim is what they become.
type part struct {
	name, data string
	method     uint16
	claim      uint64
}

func archiveOf(t testing.TB, parts ...part) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		h := &zip.FileHeader{Name: p.name, Method: p.method}
		create := z.CreateHeader
		if p.claim != 0 {
			h.UncompressedSize64, h.CompressedSize64, create = p.claim, uint64(len(p.data)), z.CreateRaw
		}
		w, err := create(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, p.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func long(n uint32) string {
	return "\x8a\x05" + string(binary.LittleEndian.AppendUint32(nil, n)) + "\x00"
}

// everything reads a file whole, and returns the first error and the bytes that were allocated on the way.
func everything(file []byte) (allocated uint64, err error) {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	f, err := Read(bytes.NewReader(file), int64(len(file)))
	if err == nil {
		for _, x := range f.Tensors() {
			if _, e := x.Bytes(); e != nil && err == nil {
				err = e
			}
		}
	}
	goruntime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// fails checks that a file is refused for the reason, with no more memory than a small file may take.
func fails(t *testing.T, name string, file []byte, want string) {
	t.Helper()
	allocated, err := everything(file)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
	if limit := uint64(1<<20 + 16*len(file)); allocated > limit {
		t.Errorf("%s: %d bytes allocated for a file of %d", name, allocated, len(file))
	}
}

func TestLyingArchives(t *testing.T) {
	array := func(shape string) string {
		text := "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}\n"
		return npy.Magic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
	}
	for name, c := range map[string]struct {
		parts []part
		want  string
	}{
		"stored and longer":   {[]part{{"a.npy", array("(1,)"), zip.Store, 1 << 40}}, "stored, yet"},
		"cannot inflate":      {[]part{{"a.npy", "\x03\x00", zip.Deflate, 1 << 30}}, "an archive of"},
		"above deflate's":     {[]part{{"a.npy", "\x03\x00", zip.Deflate, 1 << 20}}, "cannot be, or should not be"},
		"above one's limit":   {[]part{{"a.npy", "\x03\x00", zip.Deflate, 1 << 62}}, "an archive of"},
		"inflates to less":    {[]part{{"a.npy", "\x03\x00", zip.Deflate, 1000}}, "unexpected EOF"},
		"another method":      {[]part{{"a.npy", "xx", 12, 2}}, "compression method 12"},
		"gigantic shape":      {[]part{{"a.npy", array("(1000000, 1000000)"), zip.Store, 0}}, "more than"},
		"overflowing shape":   {[]part{{"a.npy", array("(4294967296, 4294967296, 4294967296)"), zip.Store, 0}}, "more than"},
		"size of 20 digits":   {[]part{{"a.npy", array("(99999999999999999999,)"), zip.Store, 0}}, "a shape is some numbers"},
		"zero hides the rest": {[]part{{"a.npy", array("(0, 4611686018427387904, 4)"), zip.Store, 0}}, "more than"},
		"elements missing":    {[]part{{"a.npy", array("(2,)") + "1234", zip.Store, 0}}, "there are 4"},
		"elements left over":  {[]part{{"a.npy", array("(1,)") + "12345", zip.Store, 0}}, "there are 5"},
		"two of a name":       {[]part{{"a.npy", array("(0,)"), zip.Store, 0}, {"a.npy", array("(0,)"), zip.Store, 0}}, "there are two"},
		"long name":           {[]part{{strings.Repeat("n", 60000) + ".npy", array("(0,)"), zip.Store, 0}}, "a name of 60000 bytes"},
		"two of a member":     {[]part{{"x/data.pkl", ".", zip.Store, 0}, {"x/data.pkl", ".", zip.Store, 0}}, "there are two"},
		"program":             {[]part{{"x/data.pkl", ".", zip.Store, 0}, {"x/constants.pkl", ".", zip.Store, 0}}, "TorchScript"},
		"unknown byte order":  {[]part{{"x/data.pkl", ".", zip.Store, 0}, {"x/byteorder", "middle", zip.Store, 0}}, `byteorder "middle"`},
	} {
		fails(t, name, archiveOf(t, c.parts...), c.want)
	}
}

// Many small members that together promise a flood: none alone is beyond its own limit.
func TestManyMembersInflateTogether(t *testing.T) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 8<<20)
	if _, err := w.Write(zeros); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	var parts []part
	for i := range 40 {
		parts = append(parts, part{fmt.Sprint(i, ".npy"), packed.String(), zip.Deflate, uint64(len(zeros))})
	}
	fails(t, "flood", archiveOf(t, parts...), "inflates to 335544320")
}

// A wrong bit is seen by the checksum, and so is every cut.
func TestDamagedArchive(t *testing.T) {
	var b bytes.Buffer
	if err := WriteNPZ(&b, open(t, "testdata/all.npz").Tensors()); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	for n := range len(whole) {
		if _, err := everything(whole[:n]); err == nil {
			t.Errorf("cut to %d of %d: no error", n, len(whole))
		}
	}
	whole[bytes.Index(whole, le.AppendUint32(nil, 0xc0600000))] ^= 1 // the first -3.5
	fails(t, "one bit", whole, "checksum error")

	text := torchFile(t, state("FloatStorage", 2, 0, numbers(2), numbers(1)), "12345678")
	text[bytes.Index(text, []byte("12345678"))] ^= 1
	fails(t, "one bit of a storage", text, "checksum error")
}

func torchFile(t testing.TB, pickle string, storages ...string) []byte {
	parts := []part{{"x/data.pkl", pickle, zip.Store, 0}}
	for i, s := range storages {
		parts = append(parts, part{fmt.Sprint("x/data/", i), s, zip.Store, 0})
	}
	return archiveOf(t, parts...)
}

// tuples of numbers, as opcodes.
func numbers(values ...uint32) string {
	out := "("
	for _, v := range values {
		out += long(v)
	}
	return out + "t"
}

// state pickles {"w": a view of a storage of count elements}.
func state(class string, count, offset uint32, shape, stride string) string {
	return "\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n" + viewOf(class, count, offset, shape, stride) + "Rs."
}

// viewOf is the arguments of a tensor: the storage "0", where in it, and what is not looked at.
func viewOf(class string, count, offset uint32, shape, stride string) string {
	return "((X\x07\x00\x00\x00storagectorch\n" + class + "\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpu" + long(count) + "tQ" +
		long(offset) + shape + stride + "\x89Nt"
}

func TestLyingTensors(t *testing.T) {
	const most = 1<<32 - 1
	deep := slices.Repeat([]uint32{1}, 65)
	honest := state("FloatStorage", 2, 0, numbers(2), numbers(1))
	if _, err := everything(torchFile(t, honest, "12345678")); err != nil {
		t.Fatal(err)
	}
	fails(t, "no member", torchFile(t, honest), "no member data/0")
	for name, c := range map[string]struct{ pickle, want string }{
		"member too short":    {state("FloatStorage", 3, 0, numbers(2), numbers(1)), "the member has 8"},
		"storage of the moon": {state("DoubleStorage", most, 0, numbers(most), numbers(1)), "the member has 8"},
		"past the end":        {state("FloatStorage", 2, 1, numbers(2), numbers(1)), "there are 4"},
		"offset past the end": {state("FloatStorage", 2, 3, numbers(0), numbers(1)), "offset 3 into a storage of 2"},
		"stride past the end": {state("FloatStorage", 2, 0, numbers(2), numbers(2)), "there are 8"},
		"strides missing":     {state("FloatStorage", 2, 0, numbers(2, 1), numbers(1)), "has strides"},
		"gigantic shape":      {state("FloatStorage", 2, 0, numbers(most, most), numbers(0, 0)), "more than"},
		"expanded too far":    {state("FloatStorage", 2, 0, numbers(1<<23), numbers(0)), "repeats a storage"},
		"gigantic strides":    {state("FloatStorage", 2, 0, numbers(most, 2), numbers(most, most)), "more than"},
		"too many sizes":      {state("FloatStorage", 2, 0, numbers(deep...), numbers(deep...)), "at most 64 sizes"},
	} {
		fails(t, name, torchFile(t, c.pickle, "12345678"), c.want)
	}
}

// Pickles that grow without end, or in a circle, or name themselves, take memory in proportion to their size at most.
func TestPickleBombs(t *testing.T) {
	const size = 1 << 16
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	ones := numbers(slices.Repeat([]uint32{1}, 64)...)
	bombs := map[string]string{
		// A tuple of two of the one before it, 40 times over; then it stands where a storage's key, a size or a function should.
		"laughs":         "\x80\x02)" + strings.Repeat("2\x86", 40) + ".",
		"laughs as id":   "\x80\x02(X\x07\x00\x00\x00storage)" + strings.Repeat("2\x86", 40) + "222tQ.",
		"laughs as size": "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(N)" + strings.Repeat("2\x86", 40) + "22tR.",
		"laughs as call": "\x80\x02)" + strings.Repeat("2\x86", 40) + "2R.",
		// A list of a thousand pairs, of which each call makes another dictionary.
		"pairs": "\x80\x02ccollections\nOrderedDict\nq\x00(" + strings.Repeat("]NaNa", 1000) + "l\x85q\x01" + fill("h\x00h\x01R"),
		// A tuple of 64 sizes that every call copies.
		"sizes": "\x80\x02ctorch._utils\n_rebuild_tensor_v2\nq\x00" + viewOf("FloatStorage", 1, 0, ones, ones) + "q\x01" + fill("h\x00h\x01R"),
		"sizes again": "\x80\x02ctorch._tensor\n_rebuild_from_type_v2\nq\x00(ctorch._utils\n_rebuild_tensor_v2\nN" +
			viewOf("FloatStorage", 1, 0, ones, ones) + "tq\x01" + fill("h\x00h\x01R"),
		"prefixes": "\x80\x02}X" + string(le.AppendUint32(nil, 7<<17)) + strings.Repeat("module.", 1<<17) +
			strings.TrimSuffix(strings.TrimPrefix(state("FloatStorage", 0, 0, numbers(0), numbers(1)), "\x80\x02}X\x01\x00\x00\x00w"), "."),
		"memo": "\x80\x02N" + fill("r\x01\x02\x03\x04"),
	}
	for op := range 256 { // every opcode many times, alone and with something for it to eat
		bombs[fmt.Sprintf("opcode %#02x", op)] = "\x80\x02" + fill(string([]byte{byte(op)}))
		bombs[fmt.Sprintf("opcode %#02x fed", op)] = "\x80\x02](" + fill("N"+string([]byte{byte(op)}))
		bombs[fmt.Sprintf("opcode %#02x marked", op)] = "\x80\x02]" + fill("("+string([]byte{byte(op)}))
	}
	for name, pickle := range bombs {
		bounded(t, name, torchFile(t, pickle))
		bounded(t, name+", deflated", archiveOf(t, part{"x/data.pkl", pickle, zip.Deflate, 0}))
	}
}

// bounded reads a bomb: a fixed amount of memory, and 300 bytes for each of the file's. Measured: 280, of pairs.
func bounded(t *testing.T, name string, file []byte) {
	t.Helper()
	allocated, err := everything(file)
	if err == nil {
		t.Errorf("%s: no error", name)
	}
	if limit := uint64(4<<20 + 300*len(file)); allocated > limit {
		t.Errorf("%s: %d bytes allocated for a file of %d", name, allocated, len(file))
	}
}

func TestLyingSafetensors(t *testing.T) {
	file := func(n uint64, rest string) []byte { return append(le.AppendUint64(nil, n), rest...) }
	honest := func(header, data string) []byte { return file(uint64(len(header)), header+data) }
	const a = `"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"longer than the file":    {file(100, "{}"), "header of 100 bytes in a file of 10"},
		"longer than allowed":     {file(1<<63+8, "{}"), "more than the format's"},
		"negative length":         {file(1<<64-1, "{}"), "more than the format's"},
		"of no length":            {file(0, "{}"), "header"},
		"cut header":              {file(1, "{}"), "unexpected EOF"},
		"something after":         {honest(`{} {}`, ""), "something follows"},
		"two of a name":           {honest(`{`+a+`,`+a+`}`, "1234"), "duplicate"},
		"two of a name, escaped":  {honest(`{`+a+`,"\u0061":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, "12345678"), "duplicate"},
		"two of a field":          {honest(`{"a":{"dtype":"F32","dtype":"I32","shape":[1],"data_offsets":[0,4]}}`, "1234"), "duplicate"},
		"not UTF-8":               {honest("{\"a\xff\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", "1234"), "invalid UTF-8"},
		"an unknown field":        {honest(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"stride":[1]}}`, "1234"), "unknown"},
		"no shape":                {honest(`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, "1234"), "no shape"},
		"no offsets":              {honest(`{"a":{"dtype":"F32","shape":[0]}}`, ""), "data_offsets"},
		"null offsets":            {honest(`{"a":{"dtype":"F32","shape":[0],"data_offsets":null}}`, ""), "data_offsets"},
		"one offset":              {honest(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}}`, "1234"), "data_offsets"},
		"offsets turned around":   {honest(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, "1234"), "data_offsets"},
		"negative offsets":        {honest(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`, "1234"), "data_offsets"},
		"offset of 2 to the 64":   {honest(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551620]}}`, "1234"), "data_offsets"},
		"negative size":           {honest(`{"a":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}`, "1234"), "negative"},
		"fractional size":         {honest(`{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}`, "1234"), "shape"},
		"half a byte":             {honest(`{"a":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}}`, "1234"), `"F8_E4M3" is not known`},
		"the same bytes twice":    {honest(`{`+a+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "1234"), "overlap"},
		"too many sizes":          {honest(`{"a":{"dtype":"F32","shape":[`+strings.Repeat("1,", 64)+`1],"data_offsets":[0,4]}}`, "1234"), "65 sizes"},
		"deep":                    {honest(`{"a":`+strings.Repeat("[", 1<<16), ""), "header"},
		"metadata that is deep":   {honest(`{"__metadata__":`+strings.Repeat(`{"a":`, 1<<16), ""), "header"},
		"metadata that is a list": {honest(`{"__metadata__":["a"],`+a+`}`, "1234"), "__metadata__"},
		"numbers in metadata":     {honest(`{"__metadata__":{"a":1},`+a+`}`, "1234"), "__metadata__"},
		"long name":               {honest(`{"`+strings.Repeat("n", 5000)+`":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "1234"), "a name of 5000 bytes"},
	} {
		fails(t, name, c.file, c.want)
	}
}

// Where two empty tensors meet, no byte is used twice.
func TestEmptySafetensors(t *testing.T) {
	header := `{"b":{"dtype":"F32","shape":[0,7],"data_offsets":[0,0]},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`
	f, err := Read(bytes.NewReader(append(le.AppendUint64(nil, uint64(len(header))), header...)), int64(8+len(header)))
	if err != nil || !slices.Equal(f.Names(), []string{"b", "a"}) {
		t.Error(f, err)
	}
}
