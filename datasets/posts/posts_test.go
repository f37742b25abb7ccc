package posts

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/oatta/oatta/internal/testdata"
)

// transcript reads all of a file: a line a post or bad row.
func transcript(t *testing.T, r reader) (out []string) {
	t.Helper()
	for {
		p, err := r.Next()
		var bad *RowError
		switch {
		case err == io.EOF:
			return out
		case errors.As(err, &bad):
			out = append(out, err.Error())
		case err != nil:
			return append(out, "end: "+err.Error())
		default:
			at := ""
			if !p.Time.IsZero() {
				at = p.Time.UTC().Format("20060102T150405")
			}
			out = append(out, fmt.Sprintf("%d %s %s %s %q %s", p.Line, p.Stream, p.ID, at, p.Text, p.Label))
		}
	}
}

// streamsOf reads the posts of a listing, stream by stream, and closes it.
func streamsOf(t *testing.T, l *Listing) (out [][]Post) {
	t.Helper()
	texts := l.Texts()
	for i := range l.Len() {
		p := l.Post(i)
		var err error
		if p.Text, err = texts.Text(i); err != nil || len(p.Text) != texts.Size(i) || texts.Label(i) != p.Label || texts.Len() != l.Len() {
			t.Fatalf("post %d: %d bytes, want %d; label %q: %v", i, len(p.Text), texts.Size(i), texts.Label(i), err)
		}
		if i == 0 || p.Stream != l.Post(i-1).Stream {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	if err := errors.Join(texts.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	return out
}

func TestReaders(t *testing.T) {
	const s140 = `"0","1","Mon Apr 06 22:19:45 PDT 2009","NO_QUERY","ann","hello, ""you"""` + "\n"
	for _, tc := range []struct {
		name, in string
		o        Options
		want     []string
	}{
		{"sentiment140", s140, Options{}, []string{`1 ann 1 20090407T051945 "hello, \"you\"" 0`}},
		{"without times and ids", s140, Options{Time: "-", ID: "-"}, []string{`1 ann   "hello, \"you\"" 0`}},
		{"CR", strings.ReplaceAll(s140+s140, "\n", "\r"), Options{}, []string{`1 ann 1 20090407T051945 "hello, \"you\"" 0`, `2 ann 1 20090407T051945 "hello, \"you\"" 0`}},
		{"CRLF and BOM", "\ufeff" + strings.ReplaceAll(s140+s140, "\n", "\r\n"), Options{}, []string{`1 ann 1 20090407T051945 "hello, \"you\"" 0`, `2 ann 1 20090407T051945 "hello, \"you\"" 0`}},
		{"Latin-1, NUL", "4,2,Mon Apr 06 22:19:45 UTC 2009,q,bo\xeb,caf\xe9 \x00;;;;;;;;\n", Options{}, []string{`1 boë 2 20090406T221945 "café \x00;;;;;;;;" 4`}},
		{"bad rows", s140 + "\"4\",\"2\",\"Mon Apr 06 22:19:45 XYZ 2009\",\"q\",\"bob\",\"x\"\n4,3\n\"4\",\"5\"x,\"\"\n" + s140, Options{}, []string{
			`1 ann 1 20090407T051945 "hello, \"you\"" 0`,
			`datasets/posts: f:2: time "Mon Apr 06 22:19:45 XYZ 2009": zone "XYZ" is not known`,
			`datasets/posts: f:3: 2 columns, want 6`,
			`datasets/posts: f:4: extraneous or missing " in quoted-field`,
			`5 ann 1 20090407T051945 "hello, \"you\"" 0`,
		}},
		{"csv", "User;When;text;label\nann;2/24/2015 11:35;\"a;\nb\";pos\n;2/24/2015 11:35;x;pos\nbob;;y;\nbob;soon;y;\n", Options{Time: "when", TimeLayout: "1/2/2006 15:04"}, []string{
			`2 ann  20150224T113500 "a;\nb" pos`, `datasets/posts: f:4: no user`, `5 bob   "y" `, `datasets/posts: f:6: time "soon" cannot be read`,
		}},
		{"json lines", "\ufeff{\"user\":\"ann\",\"id\":7,\"time\":\"2024-01-01T00:00:00Z\",\"text\":\"h\\u00e9\",\"label\":null}\n\n{\"user\":1}\r\n{\"user\":\"x\",\"text\":[]}\nnonsense\n{\"user\":\"caf\xe9\",\"text\":\"\"}", Options{}, []string{
			`1 ann 7 20240101T000000 "hé" `,
			`datasets/posts: f:3: no field text, tweet, content, message, utterance, full_text, body, selftext`,
			`datasets/posts: f:4: field text: "[]": want a string or a number`,
			`datasets/posts: f:5: invalid character 'o' in literal null (expecting 'u')`,
			`6 café   "" `,
		}},
		{"long line", "{\"user\":\"a\",\"text\":\"" + strings.Repeat("x", 200000) + "\"}\n{\"user\":\"a\",\"text\":\"b\"}\n", Options{MaxLine: 1000}, []string{
			`datasets/posts: f:1: line is too long: over 1000 bytes`, `2 a   "b" `,
		}},
		{"leaf", `{"users":["a","b"],"num_samples":[1,2],"user_data":{"b":{"x":["t",["1"]],"y":[0,1]},"a":{"x":[["9","Mon Apr 06 22:19:45 PDT 2009","q","a","hi",""]],"y":["1"]}}}`, Options{}, []string{
			`1 a 9 20090407T051945 "hi" 1`, `2 b   "t" 0`, `datasets/posts: f:3: user_data["b"].x[1]: want a text, or a list of id, date, query, user and text`,
		}},
		{"UTF-16", "\xff\xfeu\x00s\x00e\x00r\x00,\x00t\x00e\x00x\x00t\x00\n\x00a\x00,\x00\xac\x20\n\x00", Options{}, []string{`2 a   "€" `}},
		{"Windows-1252", "user,text\nann,don\x92t \x80\xe9\n", Options{}, []string{`2 ann   "don’t €é" `}},
		{"quotes that mean nothing", "user\ttext\nann\tshe said \"hi\"\nbob\t\"unbalanced\ncid\t\neve\tok", Options{Quote: "none"}, []string{`2 ann   "she said \"hi\"" `, `3 bob   "\"unbalanced" `, `4 cid   "" `, `5 eve   "ok" `}},
		{"backslashes", "user,text\nann,\"a \\\"b\\\", \\\\ \\n\"\nbob,\\\n", Options{Quote: "backslash"}, []string{`2 ann   "a \"b\", \\ \\n" `, `3 bob   "\\" `}},
		{"missing times", "user,time,text\na,NaN,1\na,NaT,2\na,None,3\na,null,4\n", Options{}, []string{`2 a   "1" `, `3 a   "2" `, `4 a   "3" `, `5 a   "4" `}},
		{"no times", "user,time,text\na,soon,1\n", Options{Time: "-"}, []string{`2 a   "1" `}},
		{"Twitter 1", `{"created_at":"Wed Aug 27 13:08:45 +0000 2008","id":9,"full_text":"I","user":{"id":12,"screen_name":"ann"}}`, Options{}, []string{`1 ann 9 20080827T130845 "I" `}},
		{"Twitter 2", `{"id":"16","author_id":"12","text":"I","created_at":"2022-12-06T10:00:00.000Z"}`, Options{}, []string{`1 12 16 20221206T100000 "I" `}},
		{"Reddit", `{"id":"x1","author":"ann","body":"I","created_utc":1714564800.0}`, Options{}, []string{`1 ann x1 20240501T120000 "I" `}},
		{"paths", `{"w":{"by":{"n":"ann"}},"b.c":{"d":"I"}}`, Options{Stream: "w.by.n", Text: "b.c"}, []string{`datasets/posts: f:1: field b.c: "{\"d\":\"I\"}": want a string or a number`}},
		{"header alone", "user,text\n", Options{}, nil},
	} {
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			r, err := newReader("f", wrap(strings.NewReader(tc.in)), tc.o)
			if err != nil {
				t.Errorf("%s: %v", tc.name, err)
				continue
			}
			if got := transcript(t, r); !slices.Equal(got, tc.want) {
				t.Errorf("%s:\n%s\nwant\n%s", tc.name, strings.Join(got, "\n"), strings.Join(tc.want, "\n"))
			}
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", "datasets: f: file is empty, want a header"},
		{"\xff\xfeu\x00", `datasets: f:1: no column "stream"; columns are u`},
		{"a,b\n1,2\n", `datasets: f:1: no column "stream"; columns are a, b`},
		{`{"users":["a","a"],"user_data":{"a":{}}}`, `datasets/posts: f: users[1]: "a" is listed twice`},
		{`{"users":["a"],"num_samples":[2],"user_data":{"a":{"x":["t"]}}}`, `datasets/posts: f: num_samples[0]: 2, but "a" has 1 texts`},
		{`{"users":["a"],"user_data":{"b":{}}}`, `datasets/posts: f: users[0]: "a" has no user_data`},
		{`{"users":`, `datasets/posts: f: unexpected end of JSON input`},
	} {
		_, err := newReader("f", strings.NewReader(tc.in), Options{})
		if err == nil || err.Error() != tc.want {
			t.Errorf("%q: %v, want %s", tc.in, err, tc.want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for _, tc := range []struct {
		text, want string // "": an error
		zoned      bool
	}{
		{"Mon Apr 06 22:19:45 PDT 2009", "2009-04-06T22:19:45-07:00", true},
		{"Mon May 11 03:17:40 UTC 2009", "2009-05-11T03:17:40Z", true},
		{"Sat Feb 28 03:17:40 PST 2009", "2009-02-28T03:17:40-08:00", true},
		{"Wed Aug 27 13:08:45 +0200 2008", "2008-08-27T13:08:45+02:00", true},
		{"2009-04-06 22:19:45", "2009-04-06T22:19:45Z", false},
		{"1239081585", "2009-04-07T05:19:45Z", true},
		{"Mon Apr 06 22:19:45 CEST 2009", "", false},
		{"Mon Apr 36 22:19:45 PDT 2009", "", false},
		{"Tue, 24 Feb 2015 11:35:00 -0500", "2015-02-24T11:35:00-05:00", true},
		{"2015-02-24 11:35:00 UTC", "2015-02-24T11:35:00Z", true},
	} {
		r, err := newRows(Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, zoned, err := r.times.Read(tc.text)
		if (err != nil) != (tc.want == "") || err == nil && (got.Format(time.RFC3339) != tc.want || zoned != tc.zoned) {
			t.Errorf("%q: %v, zoned %t, %v; want %s", tc.text, got, zoned, err, tc.want)
		}
	}
}

func TestNotes(t *testing.T) {
	const in = "user,time,text\nb,2024-01-01T10:00+05:00,x\nb,2024-01-01 09:00,y\nc,5/1/2024,z\xe9\nd,2024-01-01T10:00+05:00,x\nd,2024-01-01T06:00+00:00,y\n"
	r, err := newCSV("f", strings.NewReader(in), Options{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := collect(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all := streamsOf(t, list); all[0][0].Text != "y" || all[1][0].Text != "x" {
		t.Errorf("b %v, d %v", all[0], all[1])
	}
	if want := []string{
		"1 post not UTF-8, taken for Windows-1252, the first in line 4",
		"times with a zone: 3, without: 1",
		`1 time cannot be read, the first "5/1/2024": --time-layout tells the form of times`,
		`times with a zone among some without in 1 stream, ordered by the clock on the wall; the first is "b"`,
	}; !slices.Equal(list.Notes, want) {
		t.Errorf("%q, want %q", list.Notes, want)
	}
}

func TestCollectOrders(t *testing.T) {
	const in = "user,id,time,text\nb,1,2024-01-02,x\na,2,2024-01-01,x\nb,3,2024-01-01,x\nb,4,,x\nb,5,2024-01-02,x\nb,6,2024-01-01,x\nc,7,,x\nc,8,,x\nd,9,bad,x\n"
	r, err := newCSV("f", strings.NewReader(in), Options{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := collect(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, posts := range streamsOf(t, list) {
		line := posts[0].Stream
		for _, p := range posts {
			line += p.ID
		}
		got = append(got, line)
	}
	if want := []string{"b34615", "a2", "c78"}; !slices.Equal(got, want) || len(list.Bad) != 1 || list.Bad[0].Line != 10 || list.Len() != 8 {
		t.Errorf("%q with %d bad rows, want %q", got, len(list.Bad), want)
	}
	r, _ = newCSV("f", strings.NewReader(in), Options{})
	if _, err := collect(r, Options{MaxBytes: 300}); err == nil || !strings.Contains(err.Error(), "line 4: posts take over 300 bytes") {
		t.Errorf("over the limit: %v", err)
	}
}

func TestRealFiles(t *testing.T) {
	for _, tc := range []struct {
		file                string
		o                   Options
		posts, streams, bad int
	}{
		{"sentiment140_subset.csv.gz", Options{}, 82775, 70320, 0},
		{"testdata.manual.2009.06.14.csv", Options{}, 498, 490, 0},
		{"twitter_us_airline_Tweets.csv.gz", Options{TimeLayout: "1/2/2006 15:04"}, 14640, 7701, 0},
		{"meld_speaker_streams.csv.gz", Options{Time: "utterance_id"}, 13708, 304, 0},
	} {
		list, err := Open(testdata.Shared(t, "data", "text", tc.file), tc.o)
		if err != nil {
			t.Errorf("%s: %v", tc.file, err)
			continue
		}
		if list.Len() == 0 || tc.posts > 0 && list.Len() != tc.posts || tc.streams > 0 && list.Streams() != tc.streams || len(list.Bad) != tc.bad {
			t.Errorf("%s: %d posts of %d users, %d bad: %v", tc.file, list.Len(), list.Streams(), len(list.Bad), list.Bad[:min(3, len(list.Bad))])
		}
		all := streamsOf(t, list)
		if len(all) != list.Streams() {
			t.Errorf("%s: %d runs of %d streams", tc.file, len(all), list.Streams())
		}
		for _, posts := range all {
			if !slices.IsSortedFunc(posts, func(a, b Post) int { return a.Time.Compare(b.Time) }) {
				t.Errorf("%s: %s is not in order", tc.file, posts[0].Stream)
			}
		}
	}
}

func TestOpenGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, "user,text\na,b\n")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := Open(path, Options{}); err != nil || list.Len() != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if err := os.WriteFile(path, b.Bytes()[:b.Len()-6], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); err == nil {
		t.Error("a truncated file was read as if it were whole")
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Comma: 'x'}, {MaxLine: -1}, {MaxBytes: -1}, {TimeLayout: "15:04 MST"}, {TimeLayout: "%d.%m."}, {Quote: "some"}} {
		if _, err := newReader("f", strings.NewReader("user,text\n"), o); err == nil {
			t.Errorf("%+v passes", o)
		}
	}
}

func FuzzNew(f *testing.F) {
	for _, s := range []string{"user,text\na,b\n", "\"0\",\"1\",\"Mon Apr 06 22:19:45 PDT 2009\",\"q\",\"a\",\"t\"\r", `{"user":"a","text":"b"}`, `{"users":["a"],"user_data":{"a":{"x":["t"],"y":[1]}}}`, "{\"users\":[\"a\"],\"user_data\":{\"a\":{\"x\":[null]}}}", "\x00\"\r\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := newReader("f", bytes.NewReader(b), Options{MaxLine: 1 << 16})
		if err != nil {
			return
		}
		list, err := collect(r, Options{})
		if err == nil && list.Len()+len(list.Bad) > len(b)+1 {
			t.Fatalf("%d posts in %d bytes", list.Len(), len(b))
		}
	})
}

func BenchmarkSentiment140(b *testing.B) {
	row := "\"0\",\"1467810369\",\"Mon Apr 06 22:19:45 PDT 2009\",\"NO_QUERY\",\"ann\",\"@switchfoot http://twitpic.com/2y1zl - Awww, that's a bummer.\"\n"
	in := strings.Repeat(row, 1000)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := newSentiment140("f", strings.NewReader(in), Options{})
		if err != nil {
			b.Fatal(err)
		}
		if list, err := collect(r, Options{}); err != nil || list.Len() != 1000 {
			b.Fatal(list, err)
		}
	}
}
