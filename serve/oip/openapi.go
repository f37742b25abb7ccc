package oip

import _ "embed"

// openAPI describes the REST side, by OpenAPI 3.0.
//
//go:embed openapi.yaml
var openAPI []byte
