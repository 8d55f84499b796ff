package mcpconn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineReader reads a server's stdout line by line, hands on the messages and
// reports the rest as noise. It holds at most one line of at most max bytes.
type lineReader struct {
	max   int               // bytes of a message
	keep  int               // bytes of a noise line that are reported
	noise func(line string) // a line that is no message
	flood func(line string) // told once that there is no end of noise; nothing is read any more

	noisy int // lines of noise since the last message
	bytes int // of them
}

// The noise that a server may make on its stdout between two messages: a
// chatty start-up comes nowhere near, a program that speaks no protocol passes
// it at once.
const (
	maxNoisyLines = 10_000
	maxNoise      = 8 << 20
)

// tooNoisy counts a line of noise.
func (r *lineReader) tooNoisy(size int) bool {
	r.bytes += size
	return r.noisy > maxNoisyLines || r.bytes > maxNoise
}

// copy reads src to its end. Once dst takes no more it reads on without
// handing on, so that the server can end without blocking on its output.
func (r *lineReader) copy(dst io.Writer, src io.Reader) error {
	in := bufio.NewReaderSize(src, 64<<10)
	var line []byte
	for {
		var err error
		var over *idScanner // set once the line is too long to keep
		var size int
		line = line[:0]
		for {
			var part []byte
			part, err = in.ReadSlice('\n')
			size += len(part)
			switch {
			case over != nil:
				over.feed(part)
			case len(line)+len(part) > r.max:
				over = &idScanner{}
				over.feed(line)
				over.feed(part)
				line = line[:0]
			default:
				line = append(line, part...)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		quiet := r.noisy
		if over != nil {
			dst = r.tooLong(dst, over, size)
		} else if size > 0 {
			dst = r.deliver(dst, line)
		}
		if r.noisy > quiet && r.tooNoisy(size) {
			r.flood(string(line[:min(len(line), r.keep)]))
			return nil
		}
		if cap(line) > 1<<20 {
			line = nil // one huge line must not be held for good
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func (r *lineReader) deliver(dst io.Writer, line []byte) io.Writer {
	messages, ok := frames(line)
	if ok {
		r.noisy, r.bytes = 0, 0
	} else {
		r.noisy++
		line = bytes.TrimRight(line, "\r\n")
		line = line[:min(len(line), r.keep)]
		r.noise(string(line))
	}
	for _, m := range messages {
		dst = send(dst, m)
	}
	return dst
}

func (r *lineReader) tooLong(dst io.Writer, over *idScanner, size int) io.Writer {
	message := fmt.Sprintf("a line of %d bytes is longer than the %d accepted", size, r.max)
	r.noise(message)
	if id, ok := over.answered(); ok {
		dst = send(dst, failure(id, "the answer cannot be read: "+message))
	}
	return dst
}

// send writes one message as a line; a writer that fails is replaced by none.
func send(dst io.Writer, message []byte) io.Writer {
	if _, err := dst.Write(append(message, '\n')); err != nil {
		return io.Discard
	}
	return dst
}
