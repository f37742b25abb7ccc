package peers

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/oatta/oatta/benchmarks/report"
)

// Process is a Python script that answers a line with a line.
type Process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// python returns the interpreter, or an error that says which of the modules is missing.
func python(modules ...string) (string, error) {
	name := cmp.Or(os.Getenv("OATTA_PYTHON"), "python3")
	list := strings.Join(modules, ", ")
	if text, err := exec.Command(name, "-c", "import "+list).CombinedOutput(); err != nil {
		return "", &report.MissingError{
			What: fmt.Sprintf("a Python with its modules: %s cannot import %s", name, list), How: "set OATTA_PYTHON to a Python that can",
			Err: fmt.Errorf("%w: %s", err, lastLine(text)),
		}
	}
	return name, nil
}

// lastLine is where Python says what went wrong.
func lastLine(text []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return lines[len(lines)-1]
}

// Start runs a script that needs some modules. What it writes to standard error is seen.
func Start(script string, modules ...string) (*Process, error) {
	name, err := python(modules...)
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: exec.Command(name, "-c", script)}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// Ask sends a line, which ends in a newline, and returns the line that answers it.
func (p *Process) Ask(line []byte) ([]byte, error) {
	if _, err := p.in.Write(line); err != nil {
		return nil, fmt.Errorf("peers: the Python process has ended: %w", err)
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("peers: the Python process has ended: %w", err)
	}
	return answer, nil
}

// Stop ends the script.
func (p *Process) Stop() {
	p.in.Close()
	_ = p.cmd.Wait() // its answers are in; how it ends does not matter
}
