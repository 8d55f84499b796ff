package mcpconn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"toolscope/mcpconn/config"
)

// telling is a hub with the one server whose tools tell their progress.
func telling(t *testing.T) *watcher {
	t.Helper()
	s := scripted(t, "tells")
	s.Env["API_KEY"] = "s3cr3t-in-env"
	s.Timeout = 10 * patience // a flood takes its time under the race detector
	w := open(t, s)
	w.state(StateReady)
	return w
}

// turn lets a script go on that waits for the test.
func (w *watcher) turn() {
	w.t.Helper()
	if _, err := w.hub.Call(w.t.Context(), "srv", "turn", nil, nil); err != nil {
		w.t.Error(err)
	}
}

func (w *watcher) followed() int {
	w.t.Helper()
	conn, err := w.hub.servers["srv"].ready()
	if err != nil {
		w.t.Fatal(err)
	}
	conn.followers.mu.Lock()
	defer conn.followers.mu.Unlock()
	return len(conn.followers.calls)
}

func TestProgressInOrder(t *testing.T) {
	w := telling(t)
	for range 2 { // a second call has a token of its own
		var seen []string
		_, err := w.hub.Call(t.Context(), "srv", "steps", nil, func(p Progress) {
			seen = append(seen, p.Share()+" "+p.Message)
			w.turn()
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, seen, []string{"1/10 step 1", "2/10 step 2", "3/10 step 3", "4/10 step 4", "5/10 step 5", "6/10 step 6", "7/10 step 7", "8/10 step 8", "9/10 step 9", "10/10 step 10"})
	}
	if n := w.followed(); n != 0 {
		t.Errorf("%d calls are still followed", n)
	}
}

// What is told for other tokens, or in other shapes, is not told on.
func TestProgressOddities(t *testing.T) {
	w := telling(t)
	var seen []Progress
	_, err := w.hub.Call(t.Context(), "srv", "odd", nil, func(p Progress) {
		seen = append(seen, p)
		w.turn()
	})
	if err != nil || len(seen) != 1 || seen[0] != (Progress{Done: 0.5, Message: "with ***"}) {
		t.Errorf("%+v %v", seen, err)
	}
}

// A flood does not wait for whoever is told of it, nor is any of it kept but
// the newest.
func TestProgressFlood(t *testing.T) {
	w := telling(t)
	var seen []float64
	_, err := w.hub.Call(t.Context(), "srv", "flood", nil, func(p Progress) {
		if seen = append(seen, p.Done); len(seen) == 1 {
			w.turn() // answered only once the whole flood has been taken in
		}
	})
	if err != nil || len(seen) == 0 || len(seen) > 2 || seen[len(seen)-1] != floodSize {
		t.Errorf("%d were told, the last %v; %v", len(seen), seen[max(0, len(seen)-1):], err)
	}
	q := w.hub.events
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.pending) > maxPending+10 {
		t.Errorf("%d events are waiting", len(q.pending))
	}
}

func TestProgressTooLate(t *testing.T) {
	w := telling(t)
	told := make(chan Progress, 1)
	if _, err := w.hub.Call(t.Context(), "srv", "late", nil, func(p Progress) { told <- p }); err != nil {
		t.Fatal(err)
	}
	w.turn() // the call has returned before
	w.turn() // answered after the late progress
	select {
	case p := <-told:
		t.Errorf("%+v was told", p)
	default:
	}
}

// A call that is given up is cancelled by its id; what is told of it then is
// told to nobody, and the server goes on.
func TestProgressCancel(t *testing.T) {
	listener := listen(t)
	s := scripted(t, "tells")
	s.Env[reportVar] = listener.Addr().String()
	w := open(t, s)
	w.state(StateReady)
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan Progress, 10)
	done := make(chan error, 1)
	go func() {
		_, err := w.hub.Call(ctx, "srv", "hold", nil, func(p Progress) { told <- p })
		done <- err
	}()
	id := firstID + 1 // after tools/list
	expect(t, listener, fmt.Sprintf("held %d\n", id))
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	expect(t, listener, fmt.Sprintf(`cancelled {"reason":"context canceled","requestId":%d}`, id))
	if got, err := w.hub.Call(t.Context(), "srv", "next", nil, nil); err != nil {
		t.Errorf("%s %v", got, err)
	}
	if len(told) > 0 {
		t.Errorf("%+v was told", <-told)
	}
}

// A call that is over before it begins is not sent, so it is not cancelled.
func TestCancelledBeforehand(t *testing.T) {
	listener := listen(t)
	s := scripted(t, "tells")
	s.Env[reportVar] = listener.Addr().String()
	w := open(t, s)
	w.state(StateReady)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.hub.Call(ctx, "srv", "hold", nil, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	go w.hub.Call(t.Context(), "srv", "hold", nil, nil)
	expect(t, listener, "held") // and nothing before it
}

// The token is asked for beside the arguments, and only where somebody listens.
func TestProgressAsked(t *testing.T) {
	ignore := func(Progress) {}
	for _, test := range []struct {
		script   string
		tool     string
		progress func(Progress)
		want     string
	}{
		{"tells", "x", nil, `"name":"x","arguments":{"b":1.0,"a":2,"_meta":{"progressToken":7}}}`},
		{"tells", "x", ignore, `"name":"x","arguments":{"b":1.0,"a":2,"_meta":{"progressToken":7}},"_meta":{"progressToken":1}}`},
		{"modern only", "x", ignore, `"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":1}`},
		{"offers", "read_resource", ignore, `"params":{"b":1.0,"a":2,"_meta":{"progressToken":7}}`},
	} {
		s := scripted(t, test.script)
		s.Resources = true
		w := open(t, s)
		w.state(StateReady)
		got, err := w.hub.Call(t.Context(), "srv", test.tool, json.RawMessage(`{"b":1.0,"a":2,"_meta":{"progressToken":7}}`), test.progress)
		if err != nil || !strings.Contains(string(got), test.want) {
			t.Errorf("%s %s: %s %v", test.script, test.tool, got, err)
		}
	}
}

// Over HTTP, progress comes in order and a call that is given up is cancelled
// by its id, whatever the transport.
func TestProgressHTTP(t *testing.T) {
	for _, transport := range []config.Transport{config.TransportHTTP, config.TransportSSE} {
		t.Run(string(transport), func(t *testing.T) {
			s, h := real(t)
			turn, holds := make(chan bool), make(chan bool, 1)
			s.AddTool(mcp.NewTool("steps"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				for i := range 3 {
					fields := map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": i + 1, "total": 3, "message": "on"}
					if err := s.SendNotificationToClient(ctx, "notifications/progress", fields); err != nil {
						return nil, err
					}
					<-turn
				}
				return mcp.NewToolResultText("done"), nil
			})
			s.AddTool(mcp.NewTool("hold"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				holds <- true
				<-ctx.Done()
				return nil, ctx.Err()
			})
			if transport == config.TransportSSE {
				h = server.NewSSEServer(s)
			}
			posted := make(chan message, 100)
			front := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					body, err := io.ReadAll(r.Body)
					var m message
					if err == nil && json.Unmarshal(body, &m) == nil {
						posted <- m
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
				}
				h.ServeHTTP(w, r)
			}))
			entry := remote(front.URL + "/sse")
			entry.Transport = transport
			w := open(t, entry)
			w.state(StateReady)

			var seen []string
			_, err := w.hub.Call(t.Context(), "srv", "steps", nil, func(p Progress) {
				seen = append(seen, p.Share()+" "+p.Message)
				turn <- true
			})
			if err != nil {
				t.Error(err)
			}
			equal(t, seen, []string{"1/3 on", "2/3 on", "3/3 on"})

			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := w.hub.Call(ctx, "srv", "hold", nil, nil)
				done <- err
			}()
			<-holds
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			call, cancelled := "", ""
			for timeout := time.After(patience); cancelled == ""; {
				select {
				case m := <-posted:
					switch m.Method {
					case "tools/call":
						call = string(m.ID)
					case "notifications/cancelled":
						var p struct{ RequestID json.RawMessage }
						if err := json.Unmarshal(m.Params, &p); err != nil {
							t.Fatal(err)
						}
						cancelled = string(p.RequestID)
					}
				case <-timeout:
					t.Fatal("it was not cancelled")
				}
			}
			if cancelled != call {
				t.Errorf("cancelled %s, not %s", cancelled, call)
			}
			if got, err := w.hub.Call(t.Context(), "srv", "echo", nil, nil); err != nil {
				t.Errorf("%s %v", got, err)
			}
		})
	}
}

// An answer takes no longer for a server that hangs on being told of a
// cancelled call, and neither does the end.
func TestHangsOnCancel(t *testing.T) {
	free, held := make(chan bool), make(chan bool)
	h := rpc(func(_ http.ResponseWriter, r *http.Request, m message) any {
		switch {
		case m.Method == "tools/list":
			return toolsAnswer("one")
		case strings.Contains(string(m.Params), `"hold"`):
			held <- true
			<-free
			return nil
		}
		return map[string]any{"content": []any{}}
	})
	front := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "notifications/cancelled") {
			<-free
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h(w, r)
	}))
	t.Cleanup(func() { close(free) })
	w := open(t, remote(front.URL))
	w.state(StateReady)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-held
			cancel()
		}()
		if _, err := w.hub.Call(ctx, "srv", "hold", nil, nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if _, err := w.hub.Call(t.Context(), "srv", "one", nil, nil); err != nil {
		t.Error(err)
	}
	w.hub.Close()
}

func TestShare(t *testing.T) {
	for _, test := range []struct {
		p    Progress
		want string
	}{
		{Progress{}, "0"},
		{Progress{Done: 3}, "3"},
		{Progress{Done: 3, Total: 10}, "3/10"},
		{Progress{Done: 100.0 / 3, Total: 100}, "33.33/100"},
		{Progress{Done: 0.001, Total: 1}, "0.001/1"},
		{Progress{Done: -2.5, Total: 1234567}, "-2.5/1234567"},
		{Progress{Done: 1e300, Total: 2e300}, "1e+300/2e+300"},
	} {
		if got := test.p.Share(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.p, got, test.want)
		}
	}
}

// Whoever takes nothing finds the newest, and a message is never long.
func TestFollowers(t *testing.T) {
	var f followers
	token, news := f.join()
	other, others := f.join()
	for i := range 5 {
		f.tell(map[string]any{"progressToken": float64(token), "progress": float64(i), "message": strings.Repeat("é", 1<<20)}, config.Redactor{})
	}
	if p := <-news; p.Done != 4 || len(p.Message) > maxLine+len("…") || !strings.HasSuffix(p.Message, "é…") {
		t.Errorf("%v, %d bytes", p.Done, len(p.Message))
	}
	f.leave(token)
	f.tell(map[string]any{"progressToken": float64(token), "progress": 9.0}, config.Redactor{})
	if len(news) > 0 || len(others) > 0 || token == other {
		t.Error("it was told to the wrong one")
	}
}

func FuzzProgress(f *testing.F) {
	for _, seed := range []string{
		`{"progressToken":1,"progress":1,"total":2,"message":"m"}`,
		`{"progressToken":"1","progress":-1e308,"total":-3,"message":7}`,
		`{"progressToken":1e300,"progress":1}`, `{"progressToken":null}`, `{}`, `null`, `[]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, params string) {
		var fields map[string]any
		if json.Unmarshal([]byte(params), &fields) != nil {
			return
		}
		var followed followers
		_, news := followed.join()
		followed.tell(fields, config.Redactor{})
		followed.tell(fields, config.Redactor{})
		if len(news) == 0 {
			return
		}
		if p := <-news; p.Total < 0 || len(p.Message) > maxLine+len("…") || p.Share() == "" {
			t.Errorf("%+v", p)
		}
	})
}
