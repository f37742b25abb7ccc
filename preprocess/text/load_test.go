package text

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// bertJSON is a small tokenizer.json; each test changes one thing of it.
const bertJSON = `{"version":"1.0",
"truncation":{"direction":"Right","max_length":9,"strategy":"LongestFirst","stride":0},
"padding":null,
"added_tokens":[{"id":1,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},{"id":9,"content":"[NEW]","normalized":false,"special":true}],
"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
"pre_tokenizer":{"type":"BertPreTokenizer"},
"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":1}},{"Sequence":{"id":"A","type_id":2}},{"SpecialToken":{"id":"[SEP]","type_id":3}}],"special_tokens":{"[CLS]":{"ids":[2]},"[SEP]":{"ids":[3]}}},
"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":5,"vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"a":4,"##b":5,"##bc":6,"A":7,"@@b":8}}}`

func TestReadJSON(t *testing.T) {
	tok, err := ReadJSON(strings.NewReader(bertJSON), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := tok.Append(nil, "A abc abb[NEW] abbbbb á x"); !slices.Equal(got, []int64{2, 4, 4, 6, 4, 5, 5, 9, 3}) {
		t.Errorf("%v", got)
	}
	var b Batch
	tok.Encode(&b, []string{"a", "a a"})
	if got := b.Types.Data.([]int64); !slices.Equal(got, []int64{1, 2, 3, 0, 1, 2, 2, 3}) {
		t.Errorf("token types %v", got)
	}
	if tok.Settings().MaxLength != 9 || tok.Settings().Padding != PadLongest {
		t.Errorf("%+v", tok.Settings())
	}
	for id, want := range map[int64]string{9: "[NEW]", 5: "##b", 77: ""} {
		if got, ok := tok.Token(id); got != want || ok != (want != "") {
			t.Errorf("token %d: %q, %t", id, got, ok)
		}
	}
}

func TestWhatJSONMayChange(t *testing.T) {
	for _, tc := range []struct {
		old, new string
		want     []int64 // of "A abc", or
		err      string
	}{
		{`"lowercase":true`, `"lowercase":false`, []int64{2, 7, 4, 6, 3}, ""},
		{`"continuing_subword_prefix":"##"`, `"continuing_subword_prefix":"@@"`, []int64{2, 4, 1, 3}, ""},
		{`"post_processor":{"type":"TemplateProcessing",`, `"post_processor":null,"x":{`, []int64{4, 4, 6}, ""},
		{`"post_processor":{"type":"TemplateProcessing",`, `"post_processor":{"type":"BertProcessing","cls":["[CLS]",2],"sep":["[SEP]",3],`, []int64{2, 4, 4, 6, 3}, ""},
		{`"type":"BertNormalizer"`, `"type":"NFKC"`, nil, `normalizer: type "NFKC" is not supported`},
		{`{"type":"BertNormalizer",`, `{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"Lowercase"}],`, nil, "normalizer: a sequence of NFD, Lowercase is not supported"},
		{`"BertPreTokenizer"`, `"Whitespace"`, nil, `pre_tokenizer: type "Whitespace" is not supported`},
		{`"TemplateProcessing"`, `"RobertaProcessing"`, nil, `post_processor: type "RobertaProcessing" is not supported`},
		{`"type":"WordPiece"`, `"type":"BPE"`, nil, `model: type "BPE" is not supported`},
		{`"a":4`, `"a":4.5`, nil, "model: vocab: a: 4.5: want a whole number"},
		{`"a":4`, `"a":-4`, nil, "model: vocab: a: -4: want a whole number"},
		{`"unk_token":"[UNK]"`, `"unk_token":"<unk>"`, nil, `the token of unknown words, "<unk>", is not in the vocabulary of 9 pieces`},
		{`"unk_token":"[UNK]"`, `"unk_token":5`, nil, "model: unk_token: 5: want a string"},
		{`"max_length":9`, `"max_length":2`, nil, "greatest length 2: want more than the 2 special tokens"},
		{`"single_word":false`, `"single_word":true`, nil, `added_tokens: token "[UNK]": single_word`},
		{`{"ids":[3]}`, `{}`, nil, `post_processor: single[2]: "[SEP]" is no special token with ids`},
		{`"padding":null`, `"padding":{"direction":"Left"}`, nil, "padding: direction Left is not supported"},
		{`"max_input_chars_per_word":5`, `"max_input_chars_per_word":0`, nil, "max_input_chars_per_word 0: want 1"},
	} {
		changed := strings.Replace(bertJSON, tc.old, tc.new, 1)
		if changed == bertJSON {
			t.Fatalf("%s is not in the JSON", tc.old)
		}
		tok, err := ReadJSON(strings.NewReader(changed), Settings{})
		if tc.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), "preprocess/text: tokenizer.json: "+tc.err) {
				t.Errorf("%s: %v, want %s", tc.new, err, tc.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.new, err)
			continue
		}
		if got, _ := tok.Append(nil, "A abc"); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.new, got, tc.want)
		}
	}
}

func TestLoadSettings(t *testing.T) {
	const vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##b\nA\ná\n<e>\n"
	for _, tc := range []struct {
		files map[string]string
		text  string
		want  []int64
		err   string
	}{
		{map[string]string{"vocab.txt": vocab}, "A á", []int64{2, 4, 4, 3}, ""},
		{map[string]string{"vocab.txt": strings.ReplaceAll(vocab, "\n", "\r\n")}, "A á", []int64{2, 4, 4, 3}, ""},
		{map[string]string{"vocab.txt": vocab, "tokenizer_config.json": `{"do_lower_case":false}`}, "A á", []int64{2, 6, 7, 3}, ""},
		{map[string]string{"vocab.txt": vocab, "tokenizer_config.json": `{"strip_accents":false,"model_max_length":1e30}`}, "A Á", []int64{2, 4, 7, 3}, ""},
		{map[string]string{"vocab.txt": vocab, "tokenizer_config.json": `{"model_max_length":3}`}, "A á", []int64{2, 4, 3}, ""},
		{map[string]string{"vocab.txt": vocab, "special_tokens_map.json": `{"sep_token":{"content":"<e>"}}`}, "a", []int64{2, 4, 8}, ""},
		{map[string]string{"tokenizer.json": bertJSON, "vocab.txt": vocab, "tokenizer_config.json": `{"do_lower_case":false,"tokenizer_class":"DistilBertTokenizerFast"}`}, "A", []int64{2, 7, 3}, ""},
		{map[string]string{"vocab.txt": vocab, "tokenizer_config.json": `{"tokenizer_class":"RobertaTokenizer"}`}, "", nil, `tokenizer_class "RobertaTokenizer"`},
		{map[string]string{"vocab.txt": vocab, "tokenizer_config.json": `{"never_split":["x"]}`}, "", nil, "never_split"},
		{map[string]string{"vocab.txt": vocab, "tokenizer_config.json": `{"strip_accents":3}`}, "", nil, "strip_accents 3"},
		{map[string]string{"vocab.txt": "a\nb\n"}, "", nil, `special token "[UNK]" is not in the vocabulary`},
		{map[string]string{"vocab.txt": ""}, "", nil, "file is empty"},
		{map[string]string{}, "", nil, "no such file"},
		{map[string]string{"tokenizer.json": "{"}, "", nil, "unexpected end of JSON input"},
	} {
		dir := t.TempDir()
		for name, body := range tc.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tok, err := Load(dir, Settings{})
		if tc.err != "" || err != nil {
			if err == nil || tc.err == "" || !strings.Contains(testdata.Plain(err.Error()), tc.err) {
				t.Errorf("%v: %v, want %q", tc.files, err, tc.err)
			}
			continue
		}
		if got, _ := tok.Append(nil, tc.text); !slices.Equal(got, tc.want) {
			t.Errorf("%v: %q: %v, want %v", tc.files, tc.text, got, tc.want)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, s := range []Settings{{MaxLength: -1}, {MaxLength: 1 << 20}, {Padding: 9}, {Multiple: -1}, {Tweets: []string{"emoji"}}} {
		if s.Validate() == nil {
			t.Errorf("%+v passes", s)
		}
		if _, err := ReadJSON(strings.NewReader(bertJSON), s); err == nil {
			t.Errorf("%+v: read", s)
		}
	}
}

func TestTransforms(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"cardiffnlp", "@ann: hi @ bob@x.org http://t.co/x, (http://a) https", "@user hi @ bob@x.org http (http://a) http"},
		{"cardiffnlp", "a  @b\n@c", "a  @user"},
		{"cardiffnlp", "nothing  here", "nothing  here"},
		{"user", "@ann: (@bob_1) me@x.org .@c", "@user: (@user) me@x.org .@user"},
		{"url", "see HTTP://t.co/x, (https://a.b) http", "see http (http http"},
		{"html", "&quot;a&amp;lt;b&quot; &lt;3 &nope;", "\"a&lt;b\" <3 &nope;"},
	} {
		if got, ok := Transform(tc.name, tc.in); !ok || got != tc.want {
			t.Errorf("%s: %q: %q, want %q", tc.name, tc.in, got, tc.want)
		}
	}
	if got, ok := Transform("emoji", "x"); ok || got != "x" {
		t.Error("an unknown transform did something")
	}
	a, _ := small(t, Uncased, Settings{Tweets: []string{"html", "cardiffnlp"}}).Append(nil, "@ann &amp; http://x.org")
	b, _ := small(t, Uncased, Settings{}).Append(nil, "@user & http")
	if !slices.Equal(a, b) {
		t.Errorf("%v, want %v", a, b)
	}
}

// FuzzSideFiles: whatever stands in tokenizer_config.json or special_tokens_map.json, beside a tokenizer.json or a vocab.txt, is an error
// or a tokenizer.
func FuzzSideFiles(f *testing.F) {
	const vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n"
	for _, conf := range []string{
		`{"do_lower_case":false,"strip_accents":null,"model_max_length":1e30}`, `{"tokenizer_class":"BertTokenizer","never_split":["[X]"]}`,
		`{"unk_token":{"content":"a"},"cls_token":"[CLS]","sep_token":null}`, `{"model_max_length":-1}`, `[]`, `null`, `{`,
	} {
		f.Add([]byte(conf))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var conf folder
		if json.Unmarshal(b, &conf) != nil || conf.check() != nil {
			return
		}
		for text, parse := range map[string]func([]byte, folder, Settings) (*Tokenizer, error){bertJSON: parseJSON, vocab: parseVocab} {
			tok, err := parse([]byte(text), conf, Settings{})
			if err != nil {
				continue
			}
			if ids, _ := tok.Append(nil, "A \u00e1bc [NEW] \xff"); len(ids) > tok.Settings().MaxLength {
				t.Fatalf("%d ids of at most %d", len(ids), tok.Settings().MaxLength)
			}
		}
	})
}

func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(bertJSON))
	f.Add([]byte(`{"model":{"vocab":{"[UNK]":0}},"pre_tokenizer":{"type":"BertPreTokenizer"}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		tok, err := ReadJSON(strings.NewReader(string(b)), Settings{})
		if err != nil {
			return
		}
		if ids, _ := tok.Append(nil, "A \u00e1bc [NEW] \xff"); len(ids) > tok.Settings().MaxLength {
			t.Fatalf("%d ids of at most %d", len(ids), tok.Settings().MaxLength)
		}
		var batch Batch
		tok.Encode(&batch, []string{"a"})
	})
}
