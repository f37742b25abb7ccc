package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"

	"github.com/oatta/oatta/internal/cli/console"
)

// killedCode is the exit code that [os.Process.Kill] gives a process.
const killedCode = 1

// interrupt does what Ctrl-C does.
func interrupt(cmd *exec.Cmd) error { return tell(cmd, windows.CTRL_C_EVENT) }

// terminate ends a server in order, for which there is no other signal.
func terminate(cmd *exec.Cmd) error { return interrupt(cmd) }

// tell does in a process what Windows does when a key of its console is pressed or its window is closed: a thread begins at the function that
// asks the handlers. That lies at one address in all processes. It needs no console, and it reaches the one process alone.
func tell(cmd *exec.Cmd, event uintptr) error {
	routine := windows.NewLazySystemDLL("kernelbase.dll").NewProc("CtrlRoutine")
	if err := routine.Find(); err != nil {
		return err
	}
	const rights = windows.PROCESS_CREATE_THREAD | windows.PROCESS_QUERY_INFORMATION | windows.PROCESS_VM_OPERATION | windows.PROCESS_VM_WRITE | windows.PROCESS_VM_READ
	process, err := windows.OpenProcess(rights, false, uint32(cmd.Process.Pid))
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(process) }() // nothing was written by it
	thread, _, err := windows.NewLazySystemDLL("kernel32.dll").NewProc("CreateRemoteThread").Call(uintptr(process), 0, 0, routine.Addr(), event, 0, 0)
	if thread == 0 {
		return err
	}
	return windows.CloseHandle(windows.Handle(thread))
}

// Closing the window stops a run as Ctrl-C does: what is done is kept, and --resume goes on.
func TestWindowIsClosed(t *testing.T) {
	needEngine(t)
	dir, out := pictures(t, 200), filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"run", "images", dir, "--model", "resnet20-cifar10", "--batch", "1", "-o", out, "--causal"}
	cmd, said := startUntil(t, out, 0, args...)
	if err := tell(cmd, windows.CTRL_CLOSE_EVENT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != console.Interrupted || !strings.Contains(said.String(), "--resume continues") {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	mustOatta(t, console.Fine, append(args, "--resume")...)
	if n := strings.Count(readFile(t, out), "\n"); n != 200 {
		t.Errorf("%d lines", n)
	}
}
