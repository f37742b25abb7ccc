package work

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/oatta/oatta/serve"
)

// Options say what is read and written. All but Log have no default.
type Options struct {
	In, Out   string // subjects; In may have wildcards
	Name      string // of the reader: those of one name share its place
	Model     string // that takes probabilities
	Namespace string // of its streams
	Replicas  int    // of the streams that are made, at least 1
	Log       *slog.Logger
}

// Times and numbers: how many items are in hand, how long one may take before it is delivered again, and how soon another reader takes over.
const (
	inHand  = 256
	redo    = 30 * time.Second
	pinned  = 10 * time.Second
	window  = time.Hour
	pause   = 100 * time.Millisecond
	pinning = "reader"
)

// item is what is read.
type item struct {
	Stream string          `json:"stream"`
	ID     json.RawMessage `json:"id,omitzero"`
	Probs  []float64       `json:"probs"`
	Time   json.RawMessage `json:"time,omitzero"`
	Start  bool            `json:"start,omitzero"`
	End    bool            `json:"end,omitzero"`
}

// answer is what is written.
type answer struct {
	Stream  string          `json:"stream,omitzero"`
	ID      json.RawMessage `json:"id,omitzero"`
	Number  uint64          `json:"number"` // of the item in JetStream
	Adapted []float64       `json:"adapted,omitzero"`
	Class   *int64          `json:"class,omitzero"`
	Label   string          `json:"label,omitzero"`
	Gate    *float64        `json:"gate,omitzero"`
	Error   string          `json:"error,omitzero"`
}

// Backend is what steps items: a member of a group, or a server's own.
type Backend interface {
	Infer(ctx context.Context, r *serve.Request) (*serve.Response, error)
}

// worker is a reader.
type worker struct {
	Options
	js      jetstream.JetStream
	backend Backend
	in      string // JetStream's stream of the items
	base    uint64 // below the number that a request has of an item, see number
}

// Run reads until the context ends. What is in hand then is delivered again, to the next reader.
func Run(ctx context.Context, nc *nats.Conn, b Backend, o Options) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("work: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &worker{Options: o, js: js, backend: b}
	c, err := w.consumer(ctx)
	if err != nil {
		return fmt.Errorf("work: %w", err)
	}
	for ctx.Err() == nil {
		if err := w.fetch(ctx, c); err != nil && ctx.Err() == nil {
			o.Log.Warn("items could not be read", "error", err)
			sleep(ctx, 10*pause)
		}
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// consumer makes what is missing, and returns the place of the readers of this name.
func (w *worker) consumer(ctx context.Context) (jetstream.Consumer, error) {
	in, err := w.keep(ctx, w.In, jetstream.WorkQueuePolicy)
	if err != nil {
		return nil, err
	}
	if _, err := w.keep(ctx, w.Out, jetstream.LimitsPolicy); err != nil {
		return nil, err
	}
	w.in = in
	s, err := w.js.Stream(ctx, in)
	if err != nil {
		return nil, err
	}
	w.base = uint64(max(0, s.CachedInfo().Created.UnixMicro()))
	c, err := w.js.Consumer(ctx, in, w.Name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		c, err = w.js.CreateOrUpdateConsumer(ctx, in, w.place(0))
	}
	return c, err
}

// place is that of the readers, behind the items that are done.
func (w *worker) place(done uint64) jetstream.ConsumerConfig {
	c := jetstream.ConsumerConfig{
		Durable: w.Name, FilterSubject: w.In, AckPolicy: jetstream.AckExplicitPolicy, AckWait: redo, MaxAckPending: inHand, MaxDeliver: -1,
		PriorityPolicy: jetstream.PriorityPolicyPinned, PinnedTTL: pinned, PriorityGroups: []string{pinning},
	}
	if done > 0 {
		c.DeliverPolicy, c.OptStartSeq = jetstream.DeliverByStartSequencePolicy, done+1
	}
	return c
}

// inOrder tells whether no earlier items than those in hand are with another reader, or left from before. If there are some, all are delivered anew:
// what follows them must not be stepped first. Those that were done already are known by their keys.
func (w *worker) inOrder(ctx context.Context, c jetstream.Consumer, hand int) (bool, error) {
	info, err := c.Info(ctx)
	if err != nil || info.NumAckPending <= hand {
		return err == nil, err
	}
	if err := w.js.DeleteConsumer(ctx, w.in, w.Name); err != nil {
		return false, err
	}
	done := info.AckFloor.Stream
	s, err := w.js.Stream(ctx, w.in)
	if err != nil {
		return false, err
	}
	if s.CachedInfo().Config.Retention == jetstream.WorkQueuePolicy { // what is done is gone from there
		done = 0
	}
	_, err = w.js.CreateOrUpdateConsumer(ctx, w.in, w.place(done))
	return false, err
}

// keep returns JetStream's stream of a subject, which is made if there is none.
func (w *worker) keep(ctx context.Context, subject string, r jetstream.RetentionPolicy) (string, error) {
	name, err := w.js.StreamNameBySubject(ctx, subject)
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return name, err
	}
	name = strings.NewReplacer(".", "-", "*", "any", ">", "all").Replace(subject)
	_, err = w.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: name, Subjects: []string{subject}, Storage: jetstream.FileStorage, Replicas: max(1, w.Replicas), Retention: r, Duplicates: window,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		err = nil
	}
	return name, err
}

// fetch takes items in hand and brings each to its end, those of a stream one after the other.
func (w *worker) fetch(ctx context.Context, c jetstream.Consumer) error {
	batch, err := c.Fetch(inHand, jetstream.FetchMaxWait(pinned/4), jetstream.FetchPriorityGroup(pinning))
	if err != nil {
		return err
	}
	lines := map[string][]job{}
	var order []string
	hand := 0
	for msg := range batch.Messages() {
		at, err := msg.Metadata()
		if err != nil {
			return err
		}
		j := job{msg: msg, number: at.Sequence.Stream, until: time.Now().Add(redo / 2)}
		j.read()
		if lines[j.item.Stream] == nil {
			order = append(order, j.item.Stream)
		}
		lines[j.item.Stream] = append(lines[j.item.Stream], j)
		hand++
	}
	if hand == 0 {
		return batch.Error()
	}
	if fine, err := w.inOrder(ctx, c, hand); !fine {
		return err
	}
	var all sync.WaitGroup
	for _, stream := range order {
		all.Go(func() {
			for _, j := range lines[stream] {
				if !w.finish(ctx, &j) {
					return // the rest waits for its turn, too
				}
			}
		})
	}
	all.Wait()
	return batch.Error()
}

// job is an item on its way.
type job struct {
	msg    jetstream.Msg
	number uint64
	until  time.Time // then it may have been given to another reader
	item   item
	times  []time.Time
	err    error // what is wrong with it
}

func (j *job) read() {
	if j.err = json.Unmarshal(j.msg.Data(), &j.item); j.err != nil {
		return
	}
	if j.item.Stream == "" || len(j.item.Probs) == 0 {
		j.err = errors.New(`want "stream" and "probs"`)
		return
	}
	j.times, j.err = timeOf(j.item.Time)
}

// timeOf reads RFC 3339, or seconds since 1970.
func timeOf(text json.RawMessage) ([]time.Time, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	var at time.Time
	if text[0] == '"' {
		err := json.Unmarshal(text, &at)
		return []time.Time{at}, err
	}
	seconds, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.Abs(seconds) > 1e11 {
		return nil, fmt.Errorf("time %s: want RFC 3339, or seconds since 1970", text)
	}
	whole, part := math.Modf(seconds)
	return []time.Time{time.Unix(int64(whole), int64(part*1e9))}, nil
}

// finish steps an item, writes its answer, and takes it away; false where it is to be delivered again.
func (w *worker) finish(ctx context.Context, j *job) bool {
	a, fine := w.step(ctx, j)
	if !fine {
		return false
	}
	text, err := json.Marshal(a)
	if err == nil {
		_, err = w.js.Publish(ctx, w.Out, text, jetstream.WithMsgID(w.Name+" "+strconv.FormatUint(j.number, 10)))
	}
	if err == nil {
		err = j.msg.DoubleAck(ctx)
	}
	if err != nil && ctx.Err() == nil {
		w.Log.Warn("an answer could not be written: its item comes again", "error", err)
	}
	return err == nil
}

// step has an item stepped, as often as the members say that it is not their turn, until it may be another reader's.
func (w *worker) step(ctx context.Context, j *job) (a answer, fine bool) {
	a = answer{Stream: j.item.Stream, ID: j.item.ID, Number: j.number}
	if j.err != nil {
		a.Error = j.err.Error()
		return a, true
	}
	for ; time.Now().Before(j.until) && ctx.Err() == nil; sleep(ctx, pause) {
		within, cancel := context.WithDeadline(ctx, j.until)
		r, err := w.backend.Infer(within, w.request(j))
		cancel()
		var told *serve.Error
		switch {
		case err == nil:
			a.take(r)
			return a, true
		case errors.As(err, &told) && told.Code != serve.Unavailable && told.Code != serve.Exhausted:
			a.Error = told.Text
			return a, true
		}
	}
	return a, false
}

// number is that of an item among the requests of its stream, so that a reader that was stopped, and goes on with what others have had in hand since,
// makes no step. The items of a subject that was made anew are above those before, unless there were a million a second.
func (w *worker) number(j *job) uint64 { return w.base + j.number }

func (w *worker) request(j *job) *serve.Request {
	data := make([]byte, 0, 8*len(j.item.Probs))
	for _, v := range j.item.Probs {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return &serve.Request{
		Model: w.Model, Namespace: w.Namespace,
		Sequence: serve.Sequence{ID: j.item.Stream, Start: j.item.Start, End: j.item.End, Times: j.times, Key: w.Name + " " + strconv.FormatUint(j.number, 10), Number: w.number(j)},
		Inputs:   []serve.Tensor{{Name: "probs", Type: "FP64", Shape: []int64{1, int64(len(j.item.Probs))}, Data: data}},
	}
}

// take reads the outputs of a response of one row.
func (a *answer) take(r *serve.Response) {
	for _, t := range r.Outputs {
		switch t.Name {
		case "adapted":
			for at := 0; at < len(t.Data); at += 8 {
				a.Adapted = append(a.Adapted, math.Float64frombits(binary.LittleEndian.Uint64(t.Data[at:])))
			}
		case "class":
			class := int64(binary.LittleEndian.Uint64(t.Data))
			a.Class = &class
		case "gate":
			gate := math.Float64frombits(binary.LittleEndian.Uint64(t.Data))
			a.Gate = &gate
		case "label":
			a.Label = string(t.Data[4:])
		}
	}
}
