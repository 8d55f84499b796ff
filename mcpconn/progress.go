package mcpconn

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"toolscope/mcpconn/config"
)

// Progress is how far a call has come, as its server says. Nothing makes a
// server count upwards, or end at the total.
type Progress struct {
	Done    float64 // in the server's own unit; finite
	Total   float64 // what there is to do in the same unit, > 0; 0 where it is not known
	Message string  // the server's text, secrets masked, cut after 4 KiB; hostile until displayed
}

// Share writes how much is done of how much: "3/10", or "3" where the total is
// not known. Numbers have at most two decimals; it is safe to print.
func (p Progress) Share() string {
	if p.Total == 0 {
		return amount(p.Done)
	}
	return amount(p.Done) + "/" + amount(p.Total)
}

// amount writes a number that may be of any size.
func amount(x float64) string {
	if math.Abs(x) >= 1e15 || x != 0 && math.Abs(x) < 0.005 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64)
}

// followers are the calls of a connection that asked for their progress. The
// zero value has none.
type followers struct {
	mu    sync.Mutex
	last  int64                   // token given out
	calls map[int64]chan Progress // by token; each holds one, the newest
}

// join gives out a token and where the progress told for it comes. Whoever
// does not keep up gets the newest.
func (f *followers) join() (token int64, news <-chan Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	if f.calls == nil {
		f.calls = map[int64]chan Progress{}
	}
	c := make(chan Progress, 1)
	f.calls[f.last] = c
	return f.last, c
}

// leave makes a token unknown.
func (f *followers) leave(token int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.calls, token)
}

// tell takes in a progress notification. It never blocks; one that nobody
// asked for, or that cannot be read, changes nothing.
func (f *followers) tell(fields map[string]any, redact config.Redactor) {
	token, ok := tokenOf(fields["progressToken"])
	if !ok {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	news, ok := f.calls[token]
	if !ok {
		return
	}
	p, ok := progressOf(fields, redact)
	if !ok {
		return
	}
	select {
	case <-news:
	default:
	}
	news <- p // there is room: nobody else fills it while the lock is held
}

// tokenOf reads a progress token. All of ours are whole numbers; some servers
// send back text.
func tokenOf(v any) (token int64, ok bool) {
	switch v := v.(type) {
	case float64:
		token = int64(v)
		return token, float64(token) == v
	case string:
		token, err := strconv.ParseInt(v, 10, 64)
		return token, err == nil
	}
	return 0, false
}

// progressOf reads the rest of a progress notification. What was done must be
// a number; all else may be missing or odd.
func progressOf(fields map[string]any, redact config.Redactor) (p Progress, ok bool) {
	done, ok := fields["progress"].(float64)
	if !ok {
		return Progress{}, false
	}
	total, _ := fields["total"].(float64)
	message, _ := fields["message"].(string)
	message = message[:min(len(message), maxLine+redact.Longest())]
	return Progress{Done: done, Total: max(total, 0), Message: strings.Clone(clean(redact, message))}, true
}

// call calls a tool. Where progress is not nil, it is told how far the call has
// come: by this goroutine, so never after the return. A utility tool has none
// to tell, since its arguments are all that is sent.
func (c *connection) call(ctx context.Context, tool string, args json.RawMessage, progress func(Progress)) (json.RawMessage, error) {
	method, params := c.callOf(tool, args)
	call, ok := params.(callParams)
	if progress == nil || !ok {
		return c.request(ctx, method, params)
	}
	token, news := c.followers.join()
	defer c.followers.leave(token)
	call.Meta = &callMeta{token}
	type answer struct {
		result json.RawMessage
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil {
				a = answer{err: fmt.Errorf("toolscope itself failed: %v", r)}
			}
			answered <- a
		}()
		a.result, a.err = c.request(ctx, method, call)
	}()
	for {
		select {
		case p := <-news:
			progress(p)
		case a := <-answered:
			select {
			case p := <-news: // told before the answer
				if ctx.Err() == nil {
					progress(p)
				}
			default:
			}
			return a.result, a.err
		}
	}
}
