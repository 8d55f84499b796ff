package mcpconn

import (
	"errors"
	"io"
	"sync"
)

// errStdinFull says that a child does not read what it is sent.
var errStdinFull = errors.New("the server does not read its input")

// stdin queues what is written to a child, so that a child that does not read
// cannot block whoever writes. Its goroutine is run.
type stdin struct {
	mu     sync.Mutex
	ready  *sync.Cond
	queue  [][]byte
	bytes  int
	closed bool
}

func newStdin() *stdin {
	s := &stdin{}
	s.ready = sync.NewCond(&s.mu)
	return s
}

// Write queues a copy of data. It never blocks; it fails once closed, or when
// the child has left too much unread.
func (s *stdin) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, io.ErrClosedPipe
	}
	if s.bytes > 0 && s.bytes+len(data) > maxStdin {
		return 0, errStdinFull
	}
	s.queue = append(s.queue, append([]byte(nil), data...))
	s.bytes += len(data)
	s.ready.Signal()
	return len(data), nil
}

// Close lets run write what is queued and end.
func (s *stdin) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.ready.Signal()
	return nil
}

// run writes what is queued to the child until Close or a failed write, then
// closes the child's end. A write to a child that does not read ends when
// pipe is closed from elsewhere.
func (s *stdin) run(pipe io.WriteCloser) {
	defer pipe.Close()
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.closed {
			s.ready.Wait()
		}
		if len(s.queue) == 0 {
			s.mu.Unlock()
			return
		}
		next := s.queue[0]
		s.queue = s.queue[1:]
		s.mu.Unlock()
		_, err := pipe.Write(next)
		s.mu.Lock()
		s.bytes -= len(next)
		if err != nil {
			s.closed, s.queue, s.bytes = true, nil, 0
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}
