// Package readback is the flags of commands that read results back, for report and view: what items are and what fields and columns are called.
package readback
