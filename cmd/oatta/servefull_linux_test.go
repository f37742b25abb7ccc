package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The disk is full: a file system of its own, in a namespace of its own, with ballast that is thrown off later. New streams are refused, those that
// find room in the file go on, and afterwards all do; nothing was counted that was not answered.
func TestServeFullDisk(t *testing.T) {
	unshare, err := exec.LookPath("unshare")
	if err == nil {
		err = exec.Command(unshare, "-rm", "true").Run()
	}
	if err != nil {
		t.Skip("no namespace for a small disk of its own: ", err)
	}
	disk := t.TempDir()
	const script = `mount -t tmpfs -o size=3m tmpfs "$1" && head -c 1500k /dev/zero > "$1/ballast" && mkdir "$1/state" && shift && exec "$@"`
	plain := program(t, "serve", "--listen", "127.0.0.1:0", "--classes", "10", "--state", filepath.Join(disk, "state"))
	s := startCommand(t, exec.Command(unshare, append([]string{"-rm", "sh", "-c", script, "sh", disk}, plain.Args...)...), plain.Env)
	q, n := []float64{0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05}, 0
	for ; ; n++ {
		if _, err = s.ask(http.DefaultClient, fmt.Sprint(n), nil, q); err != nil {
			break
		}
		if n > 1000 {
			t.Fatal("the disk is never full")
		}
	}
	for range 3 {
		if _, err := s.ask(http.DefaultClient, fmt.Sprint(n), nil, q); err == nil || !strings.Contains(err.Error(), "status 503") {
			t.Errorf("full: %v", err)
		}
	}
	if err := os.Remove(fmt.Sprintf("/proc/%d/root%s/ballast", s.Process.Pid, disk)); err != nil {
		t.Fatal(err)
	}
	fresh, err := s.ask(http.DefaultClient, "fresh", nil, q)
	if err != nil {
		t.Fatal(err)
	}
	refused, err := s.ask(http.DefaultClient, fmt.Sprint(n), nil, q)
	if err != nil || fmt.Sprint(refused) != fmt.Sprint(fresh) {
		t.Errorf("the first item that was taken of the stream that was refused: %v, %v, want that of a fresh one %v", refused, err, fresh)
	}
	second, err := s.ask(http.DefaultClient, "0", nil, q)
	if err != nil || fmt.Sprint(second) == fmt.Sprint(fresh) {
		t.Errorf("a stream from before: %v, %v", second, err)
	}
	if err := s.stop(t); err != nil {
		t.Errorf("%v: %s", err, s.errOut)
	}
	if !strings.Contains(s.errOut.String(), "no space left") {
		t.Errorf("the log does not tell: %s", s.errOut)
	}
}
