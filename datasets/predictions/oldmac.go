package predictions

import (
	"bytes"
	"io"
)

// oldMac makes a line feed of each CR where lines end in CR alone, as old Macs had them, which the end of the first line tells. All else passes byte
// for byte. Bytes are as many as they were.
type oldMac struct {
	from    io.Reader
	decided bool
	is      bool // lines end in CR alone
	quotes  int  // before the end of the first line: one that is open holds line ends
	held    bool // a CR was the last byte: whether a line feed follows is not known
}

// Read implements [io.Reader].
func (m *oldMac) Read(p []byte) (int, error) {
	if len(p) < 2 || m.decided {
		n, err := m.from.Read(p)
		m.translate(p[:n], '\r', '\n')
		return n, err
	}
	at := 0
	if m.held {
		p[0], at = '\r', 1
	}
	n, err := m.from.Read(p[at:])
	n += at
	if n == at && err == nil {
		return 0, nil
	}
	m.held = false
	m.decide(p[:n], err != nil)
	if m.held {
		n--
	}
	m.translate(p[:n], '\r', '\n')
	return n, err
}

// decide looks for the end of the first line. A CR that is held stands first.
func (m *oldMac) decide(text []byte, last bool) {
	for i, b := range text {
		switch {
		case b == '"':
			m.quotes++
		case m.quotes%2 == 1 || b != '\r' && b != '\n':
		case b == '\r' && i+1 == len(text):
			m.held = !last
			return
		default:
			m.decided, m.is = true, b == '\r' && text[i+1] != '\n'
			return
		}
	}
}

// translate puts one line end for the other.
func (m *oldMac) translate(text []byte, was, is byte) {
	if !m.is {
		return
	}
	for i := bytes.IndexByte(text, was); i >= 0 && i < len(text); i++ {
		if text[i] == was {
			text[i] = is
		}
	}
}

// writer returns a writer of lines to out, which gets those of the input.
func (m *oldMac) writer(out io.Writer) io.Writer {
	if !m.is {
		return out
	}
	return macWriter{m, out}
}

type macWriter struct {
	mac *oldMac
	to  io.Writer
}

// Write implements [io.Writer].
func (w macWriter) Write(p []byte) (int, error) {
	text := bytes.Clone(p)
	w.mac.translate(text, '\n', '\r')
	return w.to.Write(text)
}
