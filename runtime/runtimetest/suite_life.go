package runtimetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/oatta/oatta/runtime"
)

// checkConcurrency runs one session from many goroutines, each with its own data and batch size.
func checkConcurrency(t *testing.T, f fixture) {
	s := f.open(t, "add")
	var group sync.WaitGroup
	failed := make(chan error, 8)
	for g := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range 25 {
				if err := addOnce(s, int64(1+(g+i)%5), float32(100*g+i)); err != nil {
					failed <- fmt.Errorf("goroutine %d, run %d: %w", g, i, err)
					return
				}
			}
		}()
	}
	group.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
}

// addOnce runs the model "add" once on n rows that begin with from, and checks the results.
func addOnce(s runtime.Session, n int64, from float32) error {
	a, b := ramp(from, n, 4), ramp(0, n, 4)
	dst := []runtime.Tensor{{}, runtime.NewTensor[float32](n, 4)}
	if err := s.Run(context.Background(), dst, []runtime.Tensor{a, b}); err != nil {
		return err
	}
	sum, twice := runtime.NewTensor[float32](n, 4), runtime.NewTensor[float32](n, 4)
	for i, v := range a.Data.([]float32) {
		sum.Data.([]float32)[i], twice.Data.([]float32)[i] = v+float32(i), 2*v
	}
	if d := Diff(dst[0], sum); d != "" {
		return errors.New("sum: " + d)
	}
	if d := Diff(dst[1], twice); d != "" {
		return errors.New("twice: " + d)
	}
	return nil
}

func checkCancelledBefore(t *testing.T, f fixture) {
	s := f.open(t, "add")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dst := []runtime.Tensor{runtime.NewTensor[float32](1, 4), runtime.NewTensor[float32](1, 4)}
	err := s.Run(ctx, dst, []runtime.Tensor{ramp(1, 1, 4), ramp(1, 1, 4)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	expect(t, "destination", dst[0], runtime.NewTensor[float32](1, 4))
}

// checkCancelledDuring starts a run that would take for ever: that the test ends is the proof.
func checkCancelledDuring(t *testing.T, f fixture) {
	s := f.open(t, "loop")
	for name, end := range map[string]error{"cancelled": context.Canceled, "deadline": context.DeadlineExceeded} {
		ctx, cancel := context.WithCancel(context.Background())
		if name == "deadline" {
			ctx, cancel = context.WithTimeout(context.Background(), 30*time.Millisecond)
		} else {
			time.AfterFunc(30*time.Millisecond, cancel)
		}
		err := s.Run(ctx, make([]runtime.Tensor, 1), []runtime.Tensor{runtime.TensorOf([]int64{math.MaxInt64}), ramp(0, 64, 64)})
		if !errors.Is(err, end) {
			t.Errorf("%s: error %v, want %v", name, err, end)
		}
		cancel()
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dst := make([]runtime.Tensor, 1)
	if err := s.Run(ctx, dst, []runtime.Tensor{runtime.TensorOf([]int64{3}), ramp(0, 64, 64)}); err != nil {
		t.Fatal(err)
	}
	expect(t, "a run after that", dst[0], ramp(0, 64, 64))
}

func checkClose(t *testing.T, f fixture) {
	s, err := f.engine.Open(ONNX("identity_uint8"), f.config)
	if err != nil {
		t.Fatal(err)
	}
	other := f.open(t, "identity_uint8")
	src := runtime.TensorOf([]uint8{1, 2, 3}, 1, 3)
	result := run(t, s, src)[0]
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	expect(t, "a result after Close", result, src)
	expectError(t, "run after Close", s.Run(context.Background(), make([]runtime.Tensor, 1), []runtime.Tensor{src}), "closed")
	expect(t, "another session of the same model", run(t, other, src)[0], src)
}

// checkCloseWaits closes a session under runs in flight: each of them either ends well or finds the session closed.
func checkCloseWaits(t *testing.T, f fixture) {
	s, err := f.engine.Open(ONNX("loop"), f.config)
	if err != nil {
		t.Fatal(err)
	}
	started, results := make(chan struct{}, 4), make(chan error, 4)
	for range 4 {
		go func() {
			src := []runtime.Tensor{runtime.TensorOf([]int64{500}), ramp(1, 64, 64)}
			dst := []runtime.Tensor{runtime.NewTensor[float32](64, 64)}
			started <- struct{}{}
			err := s.Run(context.Background(), dst, src)
			if err == nil && Diff(dst[0], src[1]) != "" {
				err = errors.New("a result that Close damaged")
			}
			results <- err
		}()
	}
	for range 4 {
		<-started
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for range 4 {
		if err := <-results; err != nil {
			expectError(t, "a run beside Close", err, "closed")
		}
	}
}
