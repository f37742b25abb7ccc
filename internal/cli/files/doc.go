// Package files guards what commands write: outputs that would destroy an input, files that are there, and replacement in one step.
package files
