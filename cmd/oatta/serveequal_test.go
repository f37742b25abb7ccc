package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/serve/oip/pb"
)

// predictedItem is a line of predictions.
type predictedItem struct {
	Stream  string    `json:"stream"`
	ID      string    `json:"id"`
	Time    string    `json:"time,omitempty"`
	Probs   []float64 `json:"probs"`
	Adapted []float64 `json:"adapted,omitempty"`
}

func readItems(t *testing.T, path string) (out []predictedItem) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		in = bufio.NewScanner(z)
	}
	for in.Scan() {
		var item predictedItem
		if err := json.Unmarshal(in.Bytes(), &item); err != nil {
			t.Fatal(err)
		}
		out = append(out, item)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// livePieces are pieces of real predictions of movement, two networks' of 15 people, at times with gaps.
func livePieces(t *testing.T, streams, items int) [][]predictedItem {
	t.Helper()
	byPerson := map[string][]predictedItem{}
	for _, name := range []string{"hapt_lr", "hapt_lr_noisy"} {
		for _, item := range readItems(t, testdata.Shared(t, "data", "predictions", name+".jsonl.gz")) {
			person := name + "/" + item.Stream
			byPerson[person] = append(byPerson[person], item)
		}
	}
	people := make([]string, 0, len(byPerson))
	for person := range byPerson {
		people = append(people, person)
	}
	slices.Sort(people)
	var out [][]predictedItem
	for piece := 0; len(out) < streams; piece++ {
		for _, person := range people {
			if from := piece * items; len(out) < streams && from+items <= len(byPerson[person]) {
				out = append(out, placedInTime(byPerson[person][from:from+items], fmt.Sprintf("%s/%d", person, piece)))
			}
		}
	}
	return out
}

func placedInTime(items []predictedItem, stream string) []predictedItem {
	at, out := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), slices.Clone(items)
	for i := range out {
		at = at.Add(2560 * time.Millisecond)
		if i%17 == 16 {
			at = at.Add(time.Duration(i) * 2560 * time.Millisecond)
		}
		out[i].Stream, out[i].Time = stream, at.Format(time.RFC3339Nano)
	}
	return out
}

// filtered is what `oatta filter` makes of them.
func filtered(t *testing.T, streams [][]predictedItem) map[string][]float64 {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in.jsonl"), filepath.Join(t.TempDir(), "out.jsonl")
	var text strings.Builder
	for _, items := range streams {
		for _, item := range items {
			line, err := json.Marshal(item)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(append(line, '\n'))
		}
	}
	writeFile(t, in, text.String())
	if code, _, errOut := oatta(t, "filter", in, "-o", out, "-q"); code != console.Fine {
		t.Fatal(errOut)
	}
	adapted := map[string][]float64{}
	for _, item := range readItems(t, out) {
		adapted[item.Stream+" "+item.ID] = item.Adapted
	}
	return adapted
}

// askGRPC is ask, by the other transport.
func askGRPC(ctx context.Context, c pb.GRPCInferenceServiceClient, stream, times string, number int, rows ...[]float64) (adapted [][]float64, err error) {
	text := func(s string) *pb.InferParameter {
		return &pb.InferParameter{ParameterChoice: &pb.InferParameter_StringParam{StringParam: s}}
	}
	k := len(rows[0])
	var raw []byte
	for _, q := range rows {
		for _, v := range q {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		}
	}
	a, err := c.ModelInfer(ctx, &pb.ModelInferRequest{
		ModelName: "filter", Parameters: map[string]*pb.InferParameter{
			"sequence_id": text(stream), "oatta_time": text(times), "oatta_key": text(fmt.Sprint("to ", number)),
			"oatta_number": {ParameterChoice: &pb.InferParameter_Int64Param{Int64Param: int64(number)}},
		},
		Inputs:           []*pb.ModelInferRequest_InferInputTensor{{Name: "probs", Datatype: "FP64", Shape: []int64{int64(len(rows)), int64(k)}}},
		RawInputContents: [][]byte{raw},
	})
	if err != nil {
		return nil, err
	}
	out := a.RawOutputContents[0]
	for range rows {
		q := make([]float64, k)
		for i := range q {
			q[i] = math.Float64frombits(binary.LittleEndian.Uint64(out[8*i:]))
		}
		adapted, out = append(adapted, q), out[8*k:]
	}
	return adapted, nil
}

// overHTTP2 is a client of gRPC without TLS.
func overHTTP2(t *testing.T) *http.Client {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: p}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// 200 streams in random interleaving, over both transports, with restarts in between: the numbers of `oatta filter`, to the bit.
func TestServeEqualsFilter(t *testing.T) {
	streams := livePieces(t, 200, 36)
	want := filtered(t, streams)
	state, at := t.TempDir(), make([]int, len(streams))
	const phases = 3
	var again atomic.Int64
	for phase := range phases {
		s := startServer(t, "--classes", "6", "--state", state, "--max-memory", "3000000") // some 40 filters: the others wait in the file
		var all sync.WaitGroup
		interleave(t, &all, []*served{s}, streams, at, phase, phases, want, &again)
		all.Wait()
		if err := s.stop(t); err != nil {
			t.Fatalf("%v: %s", err, s.errOut)
		}
	}
	if n := again.Load(); n > 0 {
		t.Errorf("%d requests had to be sent again", n)
	}
}

// compare sends items, the last of which has a number in its stream.
func (s *served) compare(ctx context.Context, grpc pb.GRPCInferenceServiceClient, byGRPC bool, items []predictedItem, want map[string][]float64, number int) error {
	var rows [][]float64
	var times []string
	for _, item := range items {
		rows, times = append(rows, item.Probs), append(times, item.Time)
	}
	list, err := json.Marshal(times)
	if err != nil {
		return err
	}
	var got [][]float64
	if byGRPC {
		got, err = askGRPC(ctx, grpc, items[0].Stream, string(list), number, rows...)
	} else {
		got, err = s.ask(http.DefaultClient, items[0].Stream, map[string]any{"oatta_time": string(list), "oatta_key": fmt.Sprint("to ", number), "oatta_number": number}, rows...)
	}
	if err != nil {
		return err
	}
	for i, item := range items {
		if w := want[item.Stream+" "+item.ID]; len(w) == 0 || !slices.Equal(got[i], w) {
			return fmt.Errorf("%s %s: %v, filter has %v", item.Stream, item.ID, got[i], w)
		}
	}
	return nil
}
