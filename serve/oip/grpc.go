package oip

import (
	"context"
	"net/http"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"

	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/oip/pb"
)

// procedures tells what each method of the service needs; those that are not here are for any caller.
var procedures = map[string]right{
	"ServerLive":            nobody,
	"ServerReady":           nobody,
	"ModelStatistics":       admin,
	"RepositoryModelLoad":   admin,
	"RepositoryModelUnload": admin,
}

// grpc is the table of gRPC: the service, health and reflection.
func (h *Handler) grpc() []route {
	limit := connect.WithReadMaxBytes(int(h.o.MaxBody))
	_, service := pb.NewGRPCInferenceServiceHandler(&grpcService{h: h}, limit, connect.WithCodec(boundedCodec{}), connect.WithInterceptors(errorsOf{}))
	var routes []route
	methods := pb.File_serve_oip_pb_oip_proto.Services().Get(0).Methods()
	for i := range methods.Len() {
		name := string(methods.Get(i).Name())
		needs, listed := procedures[name]
		if !listed {
			needs = caller
		}
		routes = append(routes, route{
			pattern: "POST /" + pb.GRPCInferenceServiceName + "/" + name, method: name, transport: "grpc", needs: needs,
			streaming: methods.Get(i).IsStreamingClient(), handler: service,
		})
	}
	other := func(method string, needs right, path string, handler http.Handler) {
		routes = append(routes, route{pattern: "POST " + path, method: method, transport: "grpc", needs: needs, handler: handler})
	}
	small := connect.WithReadMaxBytes(maxSmall)
	path, health := grpchealth.NewHandler(grpcHealth{h}, small)
	other("HealthCheck", nobody, path, health)
	reflector := grpcreflect.NewStaticReflector(pb.GRPCInferenceServiceName, grpchealth.HealthV1ServiceName)
	path, reflection := grpcreflect.NewHandlerV1(reflector, small)
	other("Reflection", caller, path, reflection)
	path, reflection = grpcreflect.NewHandlerV1Alpha(reflector, small)
	other("Reflection", caller, path, reflection)
	return routes
}

// grpcHealth answers the standard health service.
type grpcHealth struct{ h *Handler }

func (g grpcHealth) Check(_ context.Context, r *grpchealth.CheckRequest) (*grpchealth.CheckResponse, error) {
	if r.Service != "" && r.Service != pb.GRPCInferenceServiceName {
		return nil, connect.NewError(connect.CodeNotFound, serve.Errorf(serve.NotFound, "no service %.80q", r.Service))
	}
	status := grpchealth.StatusNotServing
	if g.h.ready() {
		status = grpchealth.StatusServing
	}
	return &grpchealth.CheckResponse{Status: status}, nil
}

// errorsOf tells errors of methods by gRPC's codes, and notes them.
type errorsOf struct{}

func (errorsOf) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
		c := callOf(ctx)
		c.received()
		response, err := next(ctx, r)
		c.answering()
		if err != nil {
			return nil, c.tell(err)
		}
		return response, nil
	}
}

func (errorsOf) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (errorsOf) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		if err := next(ctx, conn); err != nil {
			return callOf(ctx).tell(err)
		}
		return nil
	}
}

// tell makes of an error what a client is told, and logs what it is not.
func (c *call) tell(err error) *connect.Error {
	told, hidden := connectError(err)
	c.code = told.Code().String()
	if hidden {
		c.h.logFault(c, err)
	}
	return told
}

// grpcService answers the methods of the service.
type grpcService struct{ h *Handler }

func (g *grpcService) ServerLive(context.Context, *pb.ServerLiveRequest) (*pb.ServerLiveResponse, error) {
	return &pb.ServerLiveResponse{Live: true}, nil
}

func (g *grpcService) ServerReady(context.Context, *pb.ServerReadyRequest) (*pb.ServerReadyResponse, error) {
	return &pb.ServerReadyResponse{Ready: g.h.ready()}, nil
}

// ModelReady tells of a model that is not there, too, that it is not ready.
func (g *grpcService) ModelReady(ctx context.Context, r *pb.ModelReadyRequest) (*pb.ModelReadyResponse, error) {
	_, err := callOf(ctx).describe(r.Name, r.Version)
	if _, hidden := judge(err); err != nil && hidden {
		return nil, err
	}
	return &pb.ModelReadyResponse{Ready: err == nil}, nil
}

func (g *grpcService) ServerMetadata(context.Context, *pb.ServerMetadataRequest) (*pb.ServerMetadataResponse, error) {
	return &pb.ServerMetadataResponse{Name: g.h.o.Name, Version: g.h.o.Version, Extensions: extensions}, nil
}

func (g *grpcService) ModelMetadata(ctx context.Context, r *pb.ModelMetadataRequest) (*pb.ModelMetadataResponse, error) {
	m, err := callOf(ctx).describe(r.Name, r.Version)
	if err != nil {
		return nil, err
	}
	described := func(from []serve.Port) (out []*pb.ModelMetadataResponse_TensorMetadata) {
		for _, p := range from {
			out = append(out, &pb.ModelMetadataResponse_TensorMetadata{Name: p.Name, Datatype: string(p.Type), Shape: p.Shape})
		}
		return out
	}
	return &pb.ModelMetadataResponse{
		Name: m.Name, Versions: m.Versions, Platform: m.Platform, Inputs: described(m.Inputs), Outputs: described(m.Outputs),
	}, nil
}

func (g *grpcService) ModelConfig(ctx context.Context, r *pb.ModelConfigRequest) (*pb.ModelConfigResponse, error) {
	m, err := callOf(ctx).describe(r.Name, r.Version)
	if err != nil {
		return nil, err
	}
	return &pb.ModelConfigResponse{Config: configMessage(m)}, nil
}

func (g *grpcService) ModelStatistics(ctx context.Context, r *pb.ModelStatisticsRequest) (*pb.ModelStatisticsResponse, error) {
	list, err := callOf(ctx).gather(r.Name, r.Version)
	if err != nil {
		return nil, err
	}
	out := &pb.ModelStatisticsResponse{}
	for i := range list {
		out.ModelStats = append(out.ModelStats, statisticsMessage(&list[i]))
	}
	return out, nil
}

func (g *grpcService) RepositoryIndex(ctx context.Context, r *pb.RepositoryIndexRequest) (*pb.RepositoryIndexResponse, error) {
	out := &pb.RepositoryIndexResponse{}
	for _, m := range callOf(ctx).status(r.Ready) {
		out.Models = append(out.Models, &pb.RepositoryIndexResponse_ModelIndex{Name: m.Name, Version: m.Version, State: m.State, Reason: m.Reason})
	}
	return out, nil
}

func (g *grpcService) RepositoryModelLoad(ctx context.Context, r *pb.RepositoryModelLoadRequest) (*pb.RepositoryModelLoadResponse, error) {
	if err := checkRepository(r.Parameters); err != nil {
		return nil, err
	}
	c := callOf(ctx)
	if err := c.may(r.ModelName, ""); err != nil {
		return nil, err
	}
	return &pb.RepositoryModelLoadResponse{}, c.named(r.ModelName, g.h.backend.Load(ctx, r.ModelName))
}

func (g *grpcService) RepositoryModelUnload(ctx context.Context, r *pb.RepositoryModelUnloadRequest) (*pb.RepositoryModelUnloadResponse, error) {
	if err := checkRepository(r.Parameters); err != nil {
		return nil, err
	}
	c := callOf(ctx)
	if err := c.may(r.ModelName, ""); err != nil {
		return nil, err
	}
	return &pb.RepositoryModelUnloadResponse{}, c.named(r.ModelName, g.h.backend.Unload(ctx, r.ModelName))
}

func (g *grpcService) ModelInfer(ctx context.Context, r *pb.ModelInferRequest) (*pb.ModelInferResponse, error) {
	c := callOf(ctx)
	if _, err := c.unpack(r); err != nil {
		return nil, err
	}
	q, err := c.question(r)
	if err != nil {
		return nil, err
	}
	response, err := g.h.ask(ctx, c, q)
	if err != nil {
		return nil, err
	}
	return reply(response), nil
}
