package backend

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve"
)

func TestMemoIsReadAsItWasWritten(t *testing.T) {
	a := answer{"2", "0,3", []serve.Tensor{{Name: "adapted", Type: "FP64", Shape: []int64{1, 2}, Data: make([]byte, 16)}, {Name: "label", Type: serve.Bytes, Shape: []int64{1}, Data: []byte("\x01\x00\x00\x00x")}}}
	back, err := decodeAnswer(a.encode())
	if err != nil || !reflect.DeepEqual(back, a) {
		t.Errorf("%+v, %v", back, err)
	}
	m := memo{last: time.Unix(1, 2), clock: []byte("clock"), known: []keyed{{"k", 7, a.encode()}, {"l", 8, []byte("x")}}, past: []uint64{9}, number: 1 << 62}
	if got, err := decodeMemo(m.encode()); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, %v", got, err)
	}
	e := endings{[]ending{{5, m.known[0]}, {6, m.known[1]}}, []lastNumber{{5, 1<<63 - 1}, {7, 1}}}
	if got, err := decodeEndings(e.encode()); err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range m.encode() {
		if _, err := decodeMemo(m.encode()[:n]); err == nil && n > 0 {
			t.Errorf("a memo of %d bytes was taken", n)
		}
	}
	if _, err := decodeMemo(append(m.encode(), 0)); err == nil {
		t.Error("a memo with more behind it was taken")
	}
}

// Whatever comes, a memo and the endings have room where they are kept, and hold the latest.
func TestMemoIsBounded(t *testing.T) {
	var m memo
	var e endings
	for i := range 500 {
		k := keyed{fmt.Sprint(i), uint64(i), bytes.Repeat([]byte{1}, i*i%mostAnswers)}
		m.add(k, 16)
		e.add("s", k)
		if m.find(k.key) == nil || e.find("s", k.key) == nil {
			t.Fatalf("request %d is not known, with an answer of %d bytes", i, len(k.answer))
		}
		if len(m.known) > 16 || len(e.answers) > mostEndings || len(m.encode()) > state.MaxCompanion-8<<10 || len(e.encode()) > state.MaxPosition {
			t.Fatalf("request %d: %d known in %d bytes, %d endings in %d", i, len(m.known), len(m.encode()), len(e.answers), len(e.encode()))
		}
	}
	for i := range 3 * mostNumbers {
		e.note(fmt.Sprint("n", i), uint64(i+1))
		e.note("s", uint64(i+1))
	}
	if len(e.numbers) != mostNumbers || e.number("s") != 3*mostNumbers || e.number(fmt.Sprint("n", 3*mostNumbers-1)) != 3*mostNumbers || len(e.encode()) > state.MaxPosition {
		t.Errorf("%d numbers in %d bytes, the last %d", len(e.numbers), len(e.encode()), e.number("s"))
	}
	e.forget("s")
	if len(e.answers) != 0 || e.number("s") != 0 {
		t.Errorf("%d endings of a forgotten stream, number %d", len(e.answers), e.number("s"))
	}
}

// What is read is what was written, or an error.
func FuzzMemo(f *testing.F) {
	m := memo{last: time.Unix(1, 2), clock: []byte("clock"), known: []keyed{{"k", 7, []byte("answer")}}}
	f.Add(m.encode())
	f.Add((&answer{version: "1"}).encode())
	f.Add([]byte((&endings{[]ending{{5, m.known[0]}}, []lastNumber{{5, 6}}}).encode()))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := decodeMemo(data); err == nil && data != nil {
			if again, err := decodeMemo(m.encode()); err != nil || !reflect.DeepEqual(again, m) {
				t.Errorf("%+v became %+v, %v", m, again, err)
			}
		}
		if a, err := decodeAnswer(data); err == nil {
			if again, err := decodeAnswer(a.encode()); err != nil || len(again.tensors) != len(a.tensors) {
				t.Errorf("%+v became %+v, %v", a, again, err)
			}
		}
		if e, err := decodeEndings(data); err == nil && len(data) > 0 {
			if again, err := decodeEndings(e.encode()); err != nil || !reflect.DeepEqual(again, e) {
				t.Errorf("%+v became %+v, %v", e, again, err)
			}
		}
	})
}

// A request that was late on its way, behind more than have their answers kept, is refused: it is no second step.
func TestPastKeys(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		o.Limits.Keys = 4
		b := mustNew(t, o)
		keyed := func(item int) *serve.Request {
			r := ask("a", prediction(item))
			r.Sequence.Key = fmt.Sprint("item ", item)
			return r
		}
		for item := range 20 {
			mustInfer(t, b, keyed(item))
		}
		same(t, "a key with its answer", mustInfer(t, b, keyed(17)), plain(t, track(0, 18)...)[17*classes:])
		for _, item := range []int{0, 15} {
			_, err := b.Infer(t.Context(), keyed(item))
			refused(t, "a key from before", err, serve.Conflict)
		}
		same(t, "the next", mustInfer(t, b, keyed(20)), plain(t, track(0, 21)...)[20*classes:])
	})
	var m memo
	for i := range 3 * mostPast {
		m.add(keyed{key: fmt.Sprint(i), answer: []byte("x")}, 16)
	}
	if len(m.past) != mostPast || m.past[mostPast-1] != hashOf(fmt.Sprint(3*mostPast-17)) {
		t.Errorf("%d keys are known", len(m.past))
	}
}

// What earlier versions kept is read: they had less behind the same.
func TestEarlierMemos(t *testing.T) {
	m := memo{last: time.Unix(1, 2), clock: []byte("clock"), known: []keyed{{"k", 7, []byte("x")}}}
	now := m.encode()
	if one, err := decodeMemo(append([]byte{1}, now[1:len(now)-2]...)); err != nil || !reflect.DeepEqual(one, m) {
		t.Errorf("version 1: %+v, %v", one, err)
	}
	m.past = []uint64{8, 9}
	now = m.encode()
	if two, err := decodeMemo(append([]byte{2}, now[1:len(now)-1]...)); err != nil || !reflect.DeepEqual(two, m) {
		t.Errorf("version 2: %+v, %v", two, err)
	}
	e := endings{answers: []ending{{5, m.known[0]}}}
	past := e.encode()
	if one, err := decodeEndings(append([]byte{1}, past[1:len(past)-1]...)); err != nil || !reflect.DeepEqual(one, e) {
		t.Errorf("endings of version 1: %+v, %v", one, err)
	}
	for _, version := range []byte{0, 4} {
		if _, err := decodeMemo(append([]byte{version}, now[1:]...)); err == nil {
			t.Errorf("a memo of version %d was taken", version)
		}
	}
}
