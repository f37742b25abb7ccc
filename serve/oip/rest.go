package oip

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/oatta/oatta/serve"
)

// Methods that others than the table name.
const (
	methodInfer   = "ModelInfer"
	methodMetrics = "Metrics"
)

// rest is the table of REST: what openapi.yaml describes, and /metrics.
func (h *Handler) rest() []route {
	var routes []route
	add := func(needs right, method, verb string, f func(http.ResponseWriter, *http.Request) error, paths ...string) {
		for _, path := range paths {
			routes = append(routes, route{pattern: verb + " " + path, method: method, transport: "rest", needs: needs, handler: h.answers(f)})
		}
	}
	const model, version = "/v2/models/{model}", "/v2/models/{model}/versions/{version}"
	add(nobody, "ServerLive", "GET", h.live, "/v2/health/live")
	add(nobody, "ServerReady", "GET", h.serverReady, "/v2/health/ready")
	add(caller, "ServerMetadata", "GET", h.metadata, "/v2")
	add(caller, "ModelMetadata", "GET", h.modelMetadata, model, version)
	add(caller, "ModelReady", "GET", h.modelReady, model+"/ready", version+"/ready")
	add(caller, "ModelConfig", "GET", h.modelConfig, model+"/config", version+"/config")
	add(admin, "ModelStatistics", "GET", h.statistics, "/v2/models/stats", model+"/stats", version+"/stats")
	add(caller, methodInfer, "POST", h.infer, model+"/infer", version+"/infer")
	add(caller, "RepositoryIndex", "POST", h.index, "/v2/repository/index")
	add(admin, "RepositoryModelLoad", "POST", h.load, "/v2/repository/models/{model}/load")
	add(admin, "RepositoryModelUnload", "POST", h.unload, "/v2/repository/models/{model}/unload")
	add(caller, "StreamList", "GET", h.streamList, model+"/streams")
	add(caller, "StreamShow", "GET", h.streamShow, model+"/streams/{id}")
	add(caller, "StreamForget", "DELETE", h.streamForget, model+"/streams/{id}")
	add(caller, "StreamExport", "GET", h.streamExport, model+"/streams/{id}/state")
	add(caller, "StreamImport", "PUT", h.streamImport, model+"/streams/{id}/state")
	add(nobody, "Description", "GET", description, "/v2/openapi.yaml")
	if h.o.Metrics != nil {
		metrics := promhttp.HandlerFor(h.o.Metrics, promhttp.HandlerOpts{})
		routes = append(routes, route{pattern: "GET /metrics", method: methodMetrics, transport: "rest", needs: admin, handler: metrics})
	}
	return routes
}

// answers makes a handler of one that may fail.
func (h *Handler) answers(f func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := f(w, r); err != nil {
			h.fail(callOf(r.Context()), w, r, err)
		}
	})
}

// unknown answers what no route is for, with the status that the standard library would give.
func (h *Handler) unknown(c *call, w http.ResponseWriter, r *http.Request) {
	standard := statusOnly{header: w.Header(), status: http.StatusOK}
	other, _ := h.mux.Handler(r)
	other.ServeHTTP(&standard, r)
	v := verdict{status: standard.status, text: "no such path"}
	c.code = "unimplemented"
	if v.status == http.StatusMethodNotAllowed {
		v.text = "no such method for this path"
	}
	v.write(w)
}

// statusOnly keeps of an answer its headers and status.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) WriteHeader(status int)      { s.status = status }
func (s *statusOnly) Write(p []byte) (int, error) { return len(p), nil }

type readyJSON struct {
	Ready bool `json:"ready"`
}

func (h *Handler) live(w http.ResponseWriter, _ *http.Request) error {
	return sendJSON(w, http.StatusOK, struct {
		Live bool `json:"live"`
	}{true})
}

func (h *Handler) serverReady(w http.ResponseWriter, _ *http.Request) error {
	if !h.ready() {
		return serve.Errorf(serve.Unavailable, "not ready")
	}
	return sendJSON(w, http.StatusOK, readyJSON{true})
}

// extensions of the protocol that are served, by Triton's names.
var extensions = []string{"binary_tensor_data", "model_configuration", "model_repository", "parameters", "sequence", "statistics"}

type serverJSON struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Extensions []string `json:"extensions"`
}

func (h *Handler) metadata(w http.ResponseWriter, _ *http.Request) error {
	return sendJSON(w, http.StatusOK, serverJSON{h.o.Name, h.o.Version, extensions})
}

type portJSON struct {
	Name     string         `json:"name"`
	Datatype serve.DataType `json:"datatype"`
	Shape    []int64        `json:"shape"`
}

type modelJSON struct {
	Name     string     `json:"name"`
	Versions []string   `json:"versions"`
	Platform string     `json:"platform"`
	Inputs   []portJSON `json:"inputs"`
	Outputs  []portJSON `json:"outputs"`
	Labels   []string   `json:"labels,omitempty"`
}

func ports(from []serve.Port) []portJSON {
	out := make([]portJSON, len(from))
	for i, p := range from {
		out[i] = portJSON{p.Name, p.Type, p.Shape}
	}
	return out
}

// model gives the one that a path names.
func (h *Handler) model(r *http.Request) (*serve.Model, error) {
	return callOf(r.Context()).describe(r.PathValue("model"), r.PathValue("version"))
}

func (h *Handler) modelMetadata(w http.ResponseWriter, r *http.Request) error {
	m, err := h.model(r)
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, modelJSON{m.Name, m.Versions, m.Platform, ports(m.Inputs), ports(m.Outputs), m.Labels})
}

func (h *Handler) modelReady(w http.ResponseWriter, r *http.Request) error {
	if _, err := h.model(r); err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, readyJSON{true})
}

// description answers with the file that describes all this.
func description(w http.ResponseWriter, _ *http.Request) error {
	return send(w, http.StatusOK, "application/yaml", openAPI)
}

type indexJSON struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	State   string `json:"state"`
	Reason  string `json:"reason,omitempty"`
}

// status gives the models that the caller may use, and if readyOnly, that are ready.
func (c *call) status(readyOnly bool) []indexJSON {
	list := []indexJSON{}
	for _, m := range c.h.backend.Models() {
		if !c.who.May(m.Name) || readyOnly && !m.Ready {
			continue
		}
		state := "UNAVAILABLE"
		if m.Ready {
			state = "READY"
		}
		reason := m.Reason
		if !c.who.Admin && reason != "" {
			reason = "not loaded" // the cause may name files of the server
		}
		list = append(list, indexJSON{m.Name, m.Version, state, reason})
	}
	return list
}

func (h *Handler) index(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Ready bool `json:"ready"`
	}
	if err := small(w, r, &body); err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, callOf(r.Context()).status(body.Ready))
}

// small reads a body that may be empty, else JSON.
func small(w http.ResponseWriter, r *http.Request, into any) error {
	data, err := callOf(r.Context()).readBody(w, r, maxSmall)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	return unmarshal(data, into)
}

// The parameters of load and unload that are taken: none that a file or a configuration could come by.
type repositoryJSON struct {
	Parameters parametersJSON `json:"parameters"`
}

// checkRepository refuses parameters of load and unload but one that means nothing here.
func checkRepository[V any](parameters map[string]V) error {
	for name := range parameters {
		if name != "unload_dependents" {
			return invalid("parameter %.80q: a model is loaded from where the server was told, as it is", name)
		}
	}
	return nil
}

func (h *Handler) load(w http.ResponseWriter, r *http.Request) error {
	return h.repository(w, r, h.loadModel)
}

func (h *Handler) unload(w http.ResponseWriter, r *http.Request) error {
	return h.repository(w, r, h.unloadModel)
}

func (h *Handler) repository(w http.ResponseWriter, r *http.Request, do func(*call, *http.Request, string) error) error {
	var body repositoryJSON
	if err := small(w, r, &body); err != nil {
		return err
	}
	if err := checkRepository(body.Parameters); err != nil {
		return err
	}
	c := callOf(r.Context())
	name := r.PathValue("model")
	if err := c.may(name, ""); err != nil {
		return err
	}
	if err := do(c, r, name); err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, struct{}{})
}

func (h *Handler) loadModel(c *call, r *http.Request, name string) error {
	return c.named(name, h.backend.Load(r.Context(), name))
}

func (h *Handler) unloadModel(c *call, r *http.Request, name string) error {
	return c.named(name, h.backend.Unload(r.Context(), name))
}

// named notes the model of a call that went well.
func (c *call) named(model string, err error) error {
	if err == nil {
		c.model = model
	}
	return err
}

type streamJSON struct {
	ID    string `json:"id"`
	Items uint64 `json:"items"`
	Last  string `json:"last,omitempty"` // RFC 3339
	Bytes int    `json:"bytes"`
	// Number is the highest of its requests.
	Number uint64 `json:"number,omitzero"`
}

func streamInfo(s *serve.StreamInfo) streamJSON {
	out := streamJSON{ID: s.ID, Items: s.Items, Bytes: s.Bytes, Number: s.Number}
	if !s.Last.IsZero() {
		out.Last = s.Last.UTC().Format(time.RFC3339Nano)
	}
	return out
}

// How many streams a page of the list has, unless said otherwise, and at most.
const (
	pageOfStreams  = 100
	pagesOfStreams = 10_000
)

func (h *Handler) streamList(w http.ResponseWriter, r *http.Request) error {
	c := callOf(r.Context())
	m, err := h.model(r)
	if err != nil {
		return err
	}
	limit := pageOfStreams
	if text := r.URL.Query().Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > pagesOfStreams {
			return invalid("limit: want a number from 1 to %d", pagesOfStreams)
		}
	}
	list, err := h.backend.List(r.Context(), m.Name, c.who.Namespace, r.URL.Query().Get("after"), limit)
	if err != nil {
		return err
	}
	body := struct {
		Streams []streamJSON `json:"streams"`
		Next    string       `json:"next,omitempty"` // what to give as after for those that follow
	}{Streams: make([]streamJSON, len(list))}
	for i := range list {
		body.Streams[i] = streamInfo(&list[i])
	}
	if len(list) == limit {
		body.Next = list[limit-1].ID
	}
	return sendJSON(w, http.StatusOK, body)
}

// stream gives the model and the stream that a path names.
func (h *Handler) stream(r *http.Request) (model, id string, err error) {
	m, err := h.model(r)
	if err != nil {
		return "", "", err
	}
	id = r.PathValue("id")
	return m.Name, id, checkName("stream", id)
}

func (h *Handler) streamShow(w http.ResponseWriter, r *http.Request) error {
	model, id, err := h.stream(r)
	if err != nil {
		return err
	}
	s, err := h.backend.Show(r.Context(), model, callOf(r.Context()).who.Namespace, id)
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, streamInfo(s))
}

func (h *Handler) streamForget(w http.ResponseWriter, r *http.Request) error {
	model, id, err := h.stream(r)
	if err != nil {
		return err
	}
	if err := h.backend.Forget(r.Context(), model, callOf(r.Context()).who.Namespace, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// streamExport answers with a snapshot, whole: half a one would be no error that a client sees.
func (h *Handler) streamExport(w http.ResponseWriter, r *http.Request) error {
	model, id, err := h.stream(r)
	if err != nil {
		return err
	}
	var snapshot bytes.Buffer
	if err := h.backend.Export(r.Context(), model, callOf(r.Context()).who.Namespace, id, &snapshot); err != nil {
		return err
	}
	return send(w, http.StatusOK, "application/octet-stream", snapshot.Bytes())
}

func (h *Handler) streamImport(w http.ResponseWriter, r *http.Request) error {
	model, id, err := h.stream(r)
	if err != nil {
		return err
	}
	c := callOf(r.Context())
	snapshot, err := c.readBody(w, r, h.o.MaxBody)
	if err != nil {
		return err
	}
	if err := h.backend.Import(r.Context(), model, c.who.Namespace, id, slices.Clip(snapshot)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
