package mcpconn

import (
	"fmt"
	"sync"
)

// queue carries events from the connections to the one who receives them. To
// push never blocks. What a later event makes pointless is dropped from the
// queue, so it stays short however slow the receiver is.
type queue struct {
	out  chan ServerEvent
	stop chan struct{}
	wake chan struct{}
	done chan struct{}

	mu      sync.Mutex
	pending []*ServerEvent
	logs    map[string]int          // pending log lines by server
	dropped map[string]*droppedLogs // by server, while its note is pending
	closed  bool
}

// droppedLogs is the pending note that says how many log lines were dropped.
type droppedLogs struct {
	note *ServerEvent
	n    int
}

func newQueue() *queue {
	q := &queue{
		out:     make(chan ServerEvent),
		stop:    make(chan struct{}),
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		logs:    map[string]int{},
		dropped: map[string]*droppedLogs{},
	}
	go q.pump()
	return q
}

// push adds an event. After close it does nothing.
func (q *queue) push(ev ServerEvent) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	switch ev.Kind {
	case EventLog, EventTrace:
		if !q.admit(ev) {
			return
		}
	case EventTools:
		// Only the newest list counts.
		q.drop(func(p *ServerEvent) bool { return p.Server == ev.Server && p.Kind == EventTools })
	case EventState:
		if ev.State == StateConnecting {
			// Only the newest progress counts.
			q.drop(func(p *ServerEvent) bool {
				return p.Server == ev.Server && p.Kind == EventState && p.State == StateConnecting
			})
		}
	}
	q.pending = append(q.pending, &ev)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// admit counts a log line in, or drops it and keeps the note of that true.
func (q *queue) admit(ev ServerEvent) bool {
	if q.logs[ev.Server] < maxPending {
		q.logs[ev.Server]++
		return true
	}
	d := q.dropped[ev.Server]
	if d == nil {
		d = &droppedLogs{note: &ServerEvent{}}
		q.dropped[ev.Server] = d
		q.pending = append(q.pending, d.note)
	}
	d.n++
	*d.note = ev
	d.note.Line = fmt.Sprintf("… %d lines came too fast and were left out", d.n)
	return false
}

func (q *queue) drop(pointless func(*ServerEvent) bool) {
	kept := q.pending[:0]
	for _, p := range q.pending {
		if !pointless(p) {
			kept = append(kept, p)
		}
	}
	clear(q.pending[len(kept):])
	q.pending = kept
}

// take removes the oldest event.
func (q *queue) take() (ServerEvent, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.pending) == 0 {
		return ServerEvent{}, false
	}
	head := q.pending[0]
	q.pending[0] = nil
	q.pending = q.pending[1:]
	if head.Kind == EventLog || head.Kind == EventTrace {
		if d := q.dropped[head.Server]; d != nil && d.note == head {
			delete(q.dropped, head.Server)
		} else {
			q.logs[head.Server]--
		}
	}
	return *head, true
}

func (q *queue) pump() {
	defer close(q.done)
	defer close(q.out)
	for {
		ev, ok := q.take()
		if !ok {
			select {
			case <-q.wake:
				continue
			case <-q.stop:
				return
			}
		}
		select {
		case q.out <- ev:
		case <-q.stop:
			return
		}
	}
}

// close ends the stream. Events nobody has received yet are dropped.
func (q *queue) close() {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		q.pending = nil
		close(q.stop)
	}
	q.mu.Unlock()
	<-q.done
}
