package workers

import "strings"

// tail keeps the end of the text written to it.
type tail struct{ kept []byte }

const tailBytes = 64 << 10 // enough for the traces of a panic

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(p), nil
}

// last returns the line in which a Go program says why it ends, else the last line; "" if there is none.
func (t *tail) last() (last string) {
	for line := range strings.Lines(string(t.kept)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
		if line != "" {
			last = line
		}
	}
	return last
}
