package ui

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/cancelreader"
)

// Messages about the lines that are read.
type (
	lineMsg struct {
		text string // without its end
		long bool   // it was longer than maxLine and is not in text
	}
	inputEndMsg struct{ err error } // no more lines; nil where the input has ended
)

// maxLine bounds a line, in bytes.
const maxLine = 64 << 10

// lineReader reads lines one at a time, each when it is asked for, so that
// nothing is left reading once nobody wants more.
type lineReader struct {
	in     *bufio.Reader
	cancel cancelreader.CancelReader // nil where a read cannot be cancelled

	reading sync.Mutex // held while a line is read
	mu      sync.Mutex
	ended   bool
}

// newLineReader reads from a terminal, a pipe, a file, or anything.
func newLineReader(in io.Reader) *lineReader {
	// Not every file can be waited for; those that cannot do not block.
	if c, err := cancelreader.NewReader(in); err == nil {
		return &lineReader{in: bufio.NewReaderSize(c, 4096), cancel: c}
	}
	return &lineReader{in: bufio.NewReaderSize(in, 4096)}
}

// next reads a line: a command that is a [lineMsg], an [inputEndMsg], or nil
// once the reader was ended.
func (r *lineReader) next() tea.Msg {
	r.reading.Lock()
	defer r.reading.Unlock()
	if r.over() {
		return nil
	}
	line, err := readLine(r.in)
	switch {
	case r.over():
		return nil
	case errors.Is(err, io.EOF):
		return inputEndMsg{}
	case err != nil:
		return inputEndMsg{err}
	}
	return line
}

func (r *lineReader) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// readLine reads up to the end of a line, or of the input. Of a line that is
// too long nothing is kept.
func readLine(in *bufio.Reader) (lineMsg, error) {
	var text strings.Builder
	var line lineMsg
	for {
		part, err := in.ReadSlice('\n')
		if text.Len()+len(part) > maxLine {
			line.long = true
			text.Reset()
		}
		if !line.long {
			text.Write(part)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (text.Len() > 0 || line.long):
		case err != nil:
			return lineMsg{}, err
		}
		line.text = strings.TrimRight(text.String(), "\r\n")
		return line, nil
	}
}

// end ends a read that is under way, where it can be.
func (r *lineReader) end() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	if r.cancel == nil || !r.cancel.Cancel() {
		return
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	// What it held is only its own: the input stays open.
	_ = r.cancel.Close()
}
