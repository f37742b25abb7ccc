// Package natstest starts NATS servers for tests, each with JetStream in a folder of its own, and connects to them.
package natstest
