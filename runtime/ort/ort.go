package ort

import "github.com/oatta/oatta/runtime"

// DeviceReason says why a session runs where it does: for [runtime.DeviceAuto] what spoke for CUDA or against it, for
// another device that it was asked for. It is empty for a session of another engine.
func DeviceReason(s runtime.Session) string {
	if r, ok := s.(interface{ DeviceReason() string }); ok {
		return r.DeviceReason()
	}
	return ""
}
