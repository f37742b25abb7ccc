package ort

import (
	"fmt"
	"unsafe"

	"github.com/oatta/oatta/runtime"
)

// ports reads the inputs or the outputs of a session.
func (a api) ports(session unsafe.Pointer, outputs bool) ([]runtime.Port, error) {
	n, err := a.portCount(session, outputs)
	if err != nil {
		return nil, err
	}
	list := make([]runtime.Port, n)
	for i := range list {
		p, err := a.port(session, outputs, i)
		if err != nil {
			return nil, err
		}
		list[i] = p
	}
	return list, nil
}

func (a api) port(session unsafe.Pointer, output bool, i int) (runtime.Port, error) {
	kind := "input"
	if output {
		kind = "output"
	}
	name, info, err := a.portInfo(session, output, i)
	if err != nil {
		return runtime.Port{}, fmt.Errorf("%s %d: %w", kind, i, err)
	}
	p := runtime.Port{Name: name, Type: dtypeOf(info.element), Shape: info.shape()}
	if info.kind != tensorType {
		return p, fmt.Errorf("%s %q is %s, want a tensor", kind, p.Name, info.kind)
	}
	if p.Type == runtime.Invalid {
		return p, fmt.Errorf("%s %q is of %s, want float32, float16, int64, int32, uint8 or bool", kind, p.Name, info.element)
	}
	return p, nil
}
