package mcpconn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client/transport"

	"toolscope/mcpconn/config"
)

// runner lives one server's life. Its goroutine is run; everyone else only
// says what is wanted.
type runner struct {
	server config.Server
	opts   Options
	redact config.Redactor
	events *queue

	mu     sync.Mutex
	on     bool // wanted
	idle   bool // the last session failed and nothing was asked since
	tries  int  // sessions that failed in a row without anybody asking
	closed bool
	cancel context.CancelFunc // ends the present session
	conn   *connection        // while ready
	state  State              // the last one told
	reason string             // of the last failure
	info   ServerInfo         // of the present session
	wake   chan struct{}

	ended chan struct{} // closed when nothing of it is left
}

func newRunner(server config.Server, opts Options, redact config.Redactor, events *queue) *runner {
	return &runner{server: server, opts: opts, redact: redact, events: events, state: StateOff, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// want switches the server on or off. again starts a new session even where
// one is under way.
func (r *runner) want(on, again bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || (r.on == on && !again && !r.idle) {
		return
	}
	r.on, r.idle, r.tries = on, false, 0
	r.interrupt()
}

// close ends the server for good; run returns once all of it is gone.
func (r *runner) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed, r.on = true, false
	r.interrupt()
}

// interrupt ends the present session and wakes run. With r.mu held.
func (r *runner) interrupt() {
	if r.cancel != nil {
		r.cancel()
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// next waits until a session is wanted. ok is false once closed.
func (r *runner) next() (ctx context.Context, ok bool) {
	for {
		r.mu.Lock()
		switch {
		case r.closed:
			r.mu.Unlock()
			return nil, false
		case r.on && !r.idle:
			ctx, r.cancel = context.WithCancel(context.Background())
			r.mu.Unlock()
			return ctx, true
		case !r.on && r.state != StateOff:
			r.emit(ServerEvent{Kind: EventState}, StateOff, "")
		}
		pause := r.pauseBefore()
		r.mu.Unlock()
		r.sleep(pause)
	}
}

// pauseBefore returns how long to wait before the next try of a server that
// failed; 0 is until somebody asks. With r.mu held.
func (r *runner) pauseBefore() time.Duration {
	if !r.on || !r.idle || r.server.Problem != "" || strings.HasPrefix(r.reason, signInNeeded) || r.tries == 0 || r.tries > len(r.opts.Backoff) {
		return 0
	}
	return r.opts.Backoff[r.tries-1]
}

// sleep waits to be woken, or until it is time to try again.
func (r *runner) sleep(pause time.Duration) {
	if pause <= 0 {
		<-r.wake
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-r.wake:
	case <-timer.C:
		r.mu.Lock()
		r.idle = false
		r.mu.Unlock()
	}
}

// run lives from session to session until close.
func (r *runner) run() {
	for {
		ctx, ok := r.next()
		if !ok {
			return
		}
		reason := r.guarded(ctx)
		r.mu.Lock()
		interrupted := ctx.Err() != nil
		r.cancel()
		r.cancel = nil
		r.conn = nil
		if r.idle = !interrupted; r.idle {
			if r.state == StateReady {
				r.tries = 0
			}
			r.tries++
			r.reason = reason
			if pause := r.pauseBefore(); pause > 0 {
				reason += fmt.Sprintf("; tried again in %s", pause)
			}
			r.emit(ServerEvent{Kind: EventState}, StateFailed, reason)
		}
		r.mu.Unlock()
	}
}

// guarded is session with a net under it.
func (r *runner) guarded(ctx context.Context) (reason string) {
	defer func() {
		if p := recover(); p != nil {
			reason = fmt.Sprintf("toolscope itself failed: %v", p)
		}
	}()
	return r.session(ctx)
}

// session connects, lists, and stays until the server is gone, or ctx ends.
// It returns why it ended, and leaves nothing running.
func (r *runner) session(ctx context.Context) (reason string) {
	r.mu.Lock()
	r.info = ServerInfo{}
	r.mu.Unlock()
	if r.server.Problem != "" {
		return r.server.Problem
	}
	limit, cancel := context.WithTimeoutCause(ctx, r.server.ConnectTimeout, connectDeadline{r.server.ConnectTimeout})
	defer cancel()
	conn, info, reason, refused := r.connect(ctx, limit, classic)
	if refused {
		r.log("the classic handshake is refused: the modern protocol is tried")
		conn, info, reason, _ = r.connect(ctx, limit, modern)
	}
	if reason != "" {
		return reason
	}
	defer func() {
		r.mu.Lock()
		r.conn = nil
		r.mu.Unlock()
		conn.close()
	}()
	r.mu.Lock()
	r.info = info
	r.mu.Unlock()
	r.progress("tools/list")
	list, err := conn.list(limit, r.server, func(n int) {
		r.progress(fmt.Sprintf("tools/list: %s tools so far", thousands(n)))
	})
	if err != nil {
		return conn.explain("tools/list", err)
	}
	cancel()
	r.mu.Lock()
	r.conn = conn
	r.mu.Unlock()
	r.listed(list)
	return r.watch(ctx, conn, list)
}

// connect opens a connection and does the handshake, or says why it cannot;
// refused reports that the server does not know this one. A connection that is
// not returned is closed.
func (r *runner) connect(ctx, limit context.Context, era era) (conn *connection, info ServerInfo, reason string, refused bool) {
	r.progress(r.opening())
	conn, err := r.dial(ctx, era)
	if err != nil {
		return nil, info, err.Error(), false
	}
	r.progress("initialize")
	info, err = conn.initialize(limit, r.opts)
	if err == nil {
		return conn, info, "", false
	}
	refused = era == classic && refusesClassic(err)
	reason = conn.explain("initialize", err)
	if errors.Is(err, transport.ErrOAuthAuthorizationRequired) {
		reason = signInNeeded + ": the server wants to know who you are; i in the servers view begins it"
	}
	conn.close()
	return nil, info, reason, refused
}

// watch stays with a ready server: it lists again when told of a change, one
// listing at a time, until the server is gone or ctx ends.
func (r *runner) watch(ctx context.Context, conn *connection, list listing) (reason string) {
	var pace pace
	for {
		select {
		case <-ctx.Done():
			return ""
		case <-conn.lost:
			return conn.explain("", errLost)
		case <-conn.changed:
		}
		if !pause(ctx, pace.next(r.opts.Now()), conn.lost) {
			continue
		}
		// Changes told during the pause are in the list that is asked for now.
		select {
		case <-conn.changed:
		default:
		}
		limit, cancel := context.WithTimeoutCause(ctx, r.server.ConnectTimeout, connectDeadline{r.server.ConnectTimeout})
		again, err := conn.list(limit, r.server, func(int) {})
		cancel()
		switch {
		case errors.Is(err, errLost) || ctx.Err() != nil:
		case err != nil:
			r.log("the tools changed but could not be listed again, the last list stands: " + err.Error())
		case again.digest != list.digest:
			list = again
			r.listed(list)
		}
	}
}

func (r *runner) opening() string {
	if r.server.Transport == config.TransportStdio {
		return "starting the command"
	}
	return "connecting"
}

func (r *runner) dial(ctx context.Context, era era) (*connection, error) {
	if r.server.Transport == config.TransportStdio {
		return dialStdio(ctx, r.server, r.opts, r.redact, teller{r.log, r.trace}, era)
	}
	return dialHTTP(ctx, r.server, r.opts, r.redact, teller{r.log, r.trace}, era)
}

// log tells one line the server wrote beside the protocol.
func (r *runner) log(line string) {
	line = clean(r.redact, line)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emit(ServerEvent{Kind: EventLog, Line: line}, r.state, r.reason)
}

// trace tells one message of the protocol.
func (r *runner) trace(message string) {
	message = clean(r.redact, message)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emit(ServerEvent{Kind: EventTrace, Line: message}, r.state, r.reason)
}

// clean masks the secrets of a log line and cuts it. A line that was cut
// before may end in a part of a secret, which is shorter than the longest one.
func clean(redact config.Redactor, line string) string {
	cut := len(line) >= maxLine+redact.Longest()
	line = redact.Redact(line)
	if cut {
		line = line[:cutAt(line, len(line)-redact.Longest())]
	}
	if cut || len(line) > maxLine {
		line = line[:cutAt(line, maxLine)] + "…"
	}
	return line
}

// cutAt returns the last place at or before n where a character begins.
func cutAt(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// progress tells what is under way while connecting.
func (r *runner) progress(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emit(ServerEvent{Kind: EventState, Progress: what}, StateConnecting, "")
}

// listed tells the tools, and keeps what the listing says of the server.
func (r *runner) listed(list listing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.info.List, r.info.Bytes, r.info.Pages = list.took, list.bytes, list.pages
	r.emit(ServerEvent{Kind: EventTools, Tools: list.tools, Filtered: list.filtered, Warnings: list.warnings}, StateReady, "")
}

// emit completes an event and sends it off. With r.mu held, so that events
// carry the states in the order they came to be.
func (r *runner) emit(ev ServerEvent, state State, reason string) {
	r.state, r.reason = state, r.redact.Redact(reason)
	ev.Server, ev.At, ev.State, ev.Info = r.server.Name, r.opts.Now(), r.state, r.info
	if ev.Kind == EventState {
		ev.Reason = r.reason
	}
	r.events.push(ev)
}

// ready returns the connection of a ready server, or why there is none.
func (r *runner) ready() (*connection, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		return r.conn, nil
	}
	if r.reason != "" {
		return nil, fmt.Errorf("server %s is %s: %s", r.server.Name, r.state, r.reason)
	}
	return nil, fmt.Errorf("server %s is %s", r.server.Name, r.state)
}

// pace holds back a server that keeps saying its tools changed: the first
// listing is at once, each further one soon after waits twice as long.
type pace struct {
	last time.Time
	gap  time.Duration
}

const (
	firstGap = 100 * time.Millisecond
	lastGap  = 10 * time.Second
)

// next returns how long to wait before the listing asked for now.
func (p *pace) next(now time.Time) time.Duration {
	since := now.Sub(p.last)
	if p.last.IsZero() || since > 2*max(p.gap, firstGap) {
		p.gap = 0
	} else {
		p.gap = min(max(firstGap, 2*p.gap), lastGap)
	}
	p.last = now.Add(p.gap)
	return p.gap
}

// pause waits for d; false if ctx or lost ended it.
func pause(ctx context.Context, d time.Duration, lost <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-lost:
	}
	return false
}

// thousands writes a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
