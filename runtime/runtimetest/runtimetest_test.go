package runtimetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/runtime"
)

func TestFakeEnginePassesTheSuite(t *testing.T) {
	TestEngine(t, NewEngine(), runtime.Config{IntraThreads: 1})
}

func echo() Model {
	ports := func(name string) []runtime.Port {
		return []runtime.Port{{Name: name, Type: runtime.Float32, Shape: []int64{runtime.Dynamic}}}
	}
	return Model{Inputs: ports("x"), Outputs: ports("y"), Run: identity}
}

func TestFakeRecords(t *testing.T) {
	m := echo()
	m.Record = true
	s := m.Open()
	x := ramp(1, 2)
	run(t, s, x)
	x.Data.([]float32)[0] = 7 // the record is a copy
	run(t, s, x)
	if err := s.Run(context.Background(), nil, nil); err == nil {
		t.Error("no tensors: no error")
	}
	if got := s.Recorded(); s.Calls() != 2 || len(got) != 2 {
		t.Fatalf("%d calls, %d recorded", s.Calls(), len(got))
	}
	expect(t, "first", s.Recorded()[0][0], ramp(1, 2))
	expect(t, "second", s.Recorded()[1][0], runtime.TensorOf([]float32{7, 2}, 2))
}

func TestFakeFails(t *testing.T) {
	m := echo()
	m.Fail = errors.New("out of memory")
	s := m.Open()
	err := s.Run(context.Background(), make([]runtime.Tensor, 1), []runtime.Tensor{ramp(1, 2)})
	if !errors.Is(err, m.Fail) || s.Calls() != 1 {
		t.Errorf("error %v after %d calls", err, s.Calls())
	}
}

func TestFakeDelayEndsWithContext(t *testing.T) {
	m := echo()
	m.Delay = time.Hour
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := m.Open().Run(ctx, make([]runtime.Tensor, 1), []runtime.Tensor{ramp(1, 2)}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestFakeRefusesWrongResults(t *testing.T) {
	m := echo()
	m.Run = func(context.Context, []runtime.Tensor) ([]runtime.Tensor, error) {
		return []runtime.Tensor{runtime.NewTensor[int64](1)}, nil
	}
	err := m.Open().Run(context.Background(), make([]runtime.Tensor, 1), []runtime.Tensor{ramp(1, 2)})
	expectError(t, "a function of the wrong type", err, "the function of the fake", `"y": type int64, want float32`)
}

func TestEngineGivesOutSessions(t *testing.T) {
	var e Engine
	if _, err := e.Open([]byte("a"), runtime.Config{}); err == nil {
		t.Error("an engine without models opens one")
	}
	e.Register([]byte("a"), echo())
	s, err := e.Open([]byte("a"), runtime.Config{Device: runtime.DeviceAuto})
	if err != nil || len(e.Opened()) != 1 || e.Opened()[0] != s {
		t.Errorf("session %v, opened %v, error %v", s, e.Opened(), err)
	}
	if _, err := e.Open([]byte("a"), runtime.Config{Device: runtime.DeviceCUDA}); err == nil {
		t.Error("a fake on CUDA")
	}
}

func TestDiff(t *testing.T) {
	a := runtime.TensorOf([]float32{1, 2}, 2)
	for want, b := range map[string]runtime.Tensor{
		"":                     runtime.TensorOf([]float32{1, 2}, 2),
		"element 1 is 2, want": runtime.TensorOf([]float32{1, 3}, 2),
		"shape [2], want":      runtime.TensorOf([]float32{1, 2}, 1, 2),
		"type float32, want":   runtime.TensorOf([]int32{1, 2}, 2),
	} {
		if got := Diff(a, b); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestONNXPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic for a model that is not there")
		}
	}()
	ONNX("nothing")
}
