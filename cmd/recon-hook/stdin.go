package main

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// maxPayload bounds what is read into memory. What comes after it is read all the same, for a harness takes a hook
// that does not read to the end for a failed one.
const maxPayload = 16 << 20

// payload is what came on stdin.
type payload struct {
	bytes []byte
	lost  string // why it cannot be an event; empty if it may be one
}

// readPayload reads stdin to its end, or until patience is over: some harnesses leave it open. What is there by then
// may be a whole event.
func readPayload(r io.Reader, patience time.Duration) payload {
	in := &bounded{}
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(in, r)
		done <- err
	}()
	lost := ""
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-done:
		if err != nil {
			lost = "stdin cannot be read"
		}
	case <-timer.C:
	}
	content, over := in.content()
	switch {
	case over:
		lost = "larger than 16 MiB"
	case len(bytes.TrimSpace(content)) == 0:
		lost = "empty stdin"
	}
	return payload{content, lost}
}

// bounded keeps the first maxPayload bytes of what is written to it.
type bounded struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	keep := p[:min(len(p), maxPayload-b.buf.Len())]
	b.over = b.over || len(keep) < len(p)
	b.buf.Write(keep)
	return len(p), nil
}

func (b *bounded) content() ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes()), b.over
}
