// Package pb holds the messages and the service of the Open Inference Protocol over gRPC, generated from oip.proto beside it.
//
// It is committed, so that building oatta needs neither a protobuf compiler nor a plug-in. To make it again after a change to oip.proto,
// install protoc (Debian's protobuf-compiler, 3.21.12 made the committed files) and the plug-ins of the versions that go.mod names,
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install connectrpc.com/connect/cmd/protoc-gen-connect-go@v1.21.1
//
// and run go generate in this folder. Package serve/oip is what uses it.
package pb

//go:generate protoc --proto_path=../../.. --go_out=../../.. --go_opt=module=github.com/oatta/oatta --connect-go_out=../../.. --connect-go_opt=module=github.com/oatta/oatta,package_suffix,simple serve/oip/pb/oip.proto
