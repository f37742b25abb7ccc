package oip

import (
	"net/http"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/oip/pb"
)

// gather gives the statistics of a model and version, or of all that the caller may use.
func (c *call) gather(name, version string) ([]serve.Statistics, error) {
	if name != "" {
		if err := c.may(name, version); err != nil {
			return nil, err
		}
	}
	all, err := c.h.backend.Statistics(name, version)
	if err != nil {
		return nil, err
	}
	list := []serve.Statistics{}
	for _, s := range all {
		if c.who.May(s.Name) {
			list = append(list, s)
		}
	}
	return list, nil
}

// durationJSON and what follows are Triton's forms of statistics and configuration over REST: those of the messages, with numbers as numbers.
type durationJSON struct {
	Count uint64 `json:"count"`
	NS    uint64 `json:"ns"`
}

type inferStatisticsJSON struct {
	Success       durationJSON `json:"success"`
	Fail          durationJSON `json:"fail"`
	Queue         durationJSON `json:"queue"`
	ComputeInput  durationJSON `json:"compute_input"`
	ComputeInfer  durationJSON `json:"compute_infer"`
	ComputeOutput durationJSON `json:"compute_output"`
	CacheHit      durationJSON `json:"cache_hit"`
	CacheMiss     durationJSON `json:"cache_miss"`
}

type statisticsJSON struct {
	Name           string              `json:"name"`
	Version        string              `json:"version"`
	LastInference  uint64              `json:"last_inference"` // milliseconds since 1970
	InferenceCount uint64              `json:"inference_count"`
	ExecutionCount uint64              `json:"execution_count"`
	InferenceStats inferStatisticsJSON `json:"inference_stats"`
	BatchStats     []struct{}          `json:"batch_stats"`
}

func (h *Handler) statistics(w http.ResponseWriter, r *http.Request) error {
	list, err := callOf(r.Context()).gather(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return err
	}
	body := struct {
		All []statisticsJSON `json:"model_stats"`
	}{make([]statisticsJSON, len(list))}
	for i := range list {
		s := &list[i]
		body.All[i] = statisticsJSON{
			Name: s.Name, Version: s.Version, LastInference: milliseconds(s), InferenceCount: s.Inferences, ExecutionCount: s.Executions,
			InferenceStats: inferStatisticsJSON{Success: total(s.Success), Fail: total(s.Fail), Queue: total(s.Queue), ComputeInfer: total(s.Compute)},
		}
	}
	return sendJSON(w, http.StatusOK, body)
}

func total(d serve.Duration) durationJSON {
	return durationJSON{d.Count, uint64(max(0, d.Total.Nanoseconds()))}
}

// milliseconds since 1970 of the last inference; 0 if there was none.
func milliseconds(s *serve.Statistics) uint64 {
	if s.LastInference.IsZero() {
		return 0
	}
	return uint64(max(0, s.LastInference.UnixMilli()))
}

func statisticsMessage(s *serve.Statistics) *pb.ModelStatistics {
	message := func(d serve.Duration) *pb.StatisticDuration {
		t := total(d)
		return &pb.StatisticDuration{Count: t.Count, Ns: t.NS}
	}
	none := serve.Duration{}
	return &pb.ModelStatistics{
		Name: s.Name, Version: s.Version, LastInference: milliseconds(s), InferenceCount: s.Inferences, ExecutionCount: s.Executions,
		InferenceStats: &pb.InferStatistics{
			Success: message(s.Success), Fail: message(s.Fail), Queue: message(s.Queue), ComputeInput: message(none), ComputeInfer: message(s.Compute),
			ComputeOutput: message(none), CacheHit: message(none), CacheMiss: message(none),
		},
	}
}

type configPortJSON struct {
	Name     string  `json:"name"`
	DataType string  `json:"data_type"`
	Dims     []int64 `json:"dims"`
}

type configJSON struct {
	Name        string           `json:"name"`
	Platform    string           `json:"platform"`
	Backend     string           `json:"backend"`
	MaxBatch    int              `json:"max_batch_size"`
	Input       []configPortJSON `json:"input"`
	Output      []configPortJSON `json:"output"`
	Sequences   struct{}         `json:"sequence_batching"`
	Transaction struct {
		Decoupled bool `json:"decoupled"`
	} `json:"model_transaction_policy"`
}

// backendName is what a configuration says of who computes.
const backendName = "oatta"

// configType is the name of a type in configurations.
func configType(t serve.DataType) string {
	if t == serve.Bytes {
		return "TYPE_STRING"
	}
	return "TYPE_" + string(t)
}

// modelConfig tells what Triton's clients and load generators ask: ports, with all their sides, and that there are sequences.
func (h *Handler) modelConfig(w http.ResponseWriter, r *http.Request) error {
	m, err := h.model(r)
	if err != nil {
		return err
	}
	configured := func(from []serve.Port) []configPortJSON {
		out := make([]configPortJSON, len(from))
		for i, p := range from {
			out[i] = configPortJSON{p.Name, configType(p.Type), p.Shape}
		}
		return out
	}
	return sendJSON(w, http.StatusOK, configJSON{
		Name: m.Name, Platform: m.Platform, Backend: backendName, Input: configured(m.Inputs), Output: configured(m.Outputs),
	})
}

func configMessage(m *serve.Model) *pb.ModelConfig {
	out := &pb.ModelConfig{
		Name: m.Name, Platform: m.Platform, Backend: backendName,
		SchedulingChoice:       &pb.ModelConfig_SequenceBatching{SequenceBatching: &pb.ModelSequenceBatching{}},
		ModelTransactionPolicy: &pb.ModelTransactionPolicy{},
	}
	for _, p := range m.Inputs {
		out.Input = append(out.Input, &pb.ModelInput{Name: p.Name, DataType: pb.DataType(pb.DataType_value[configType(p.Type)]), Dims: p.Shape})
	}
	for _, p := range m.Outputs {
		out.Output = append(out.Output, &pb.ModelOutput{Name: p.Name, DataType: pb.DataType(pb.DataType_value[configType(p.Type)]), Dims: p.Shape})
	}
	return out
}
