//go:build !windows

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// interrupt does what Ctrl-C does.
func interrupt(cmd *exec.Cmd) error { return cmd.Process.Signal(os.Interrupt) }

// terminate ends a server in order.
func terminate(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGTERM) }

// killedCode is what is told as the exit code of a process that was killed.
const killedCode = -1
