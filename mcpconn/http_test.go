package mcpconn

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"toolscope/mcpconn/config"
)

// remote is the configuration of a server behind a URL.
func remote(address string) config.Server {
	return config.Server{
		Name: "srv", Transport: config.TransportHTTP, URL: address, Enabled: true,
		Timeout: patience, ConnectTimeout: patience,
	}
}

// serveHTTP starts an HTTP server that ends with the test, after its clients.
func serveHTTP(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// real is a server of the library's own.
func real(t *testing.T) (*server.MCPServer, http.Handler) {
	t.Helper()
	s := server.NewMCPServer("real", "9", server.WithToolCapabilities(true))
	add(s, "echo")
	h := server.NewStreamableHTTPServer(s, server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))
	return s, h
}

func add(s *server.MCPServer, name string) {
	s.AddTool(mcp.NewToolWithRawSchema(name, "says it again", json.RawMessage(`{"type":"object"}`)),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(r.Params.Name), nil
		})
}

// rpc is a server that answers with what a function returns; a nil answer
// means that the function wrote the answer itself.
func rpc(answer func(w http.ResponseWriter, r *http.Request, m message) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		var m message
		json.NewDecoder(r.Body).Decode(&m)
		var result any
		switch {
		case m.Method == "initialize":
			result = json.RawMessage(welcome)
		case len(m.ID) == 0:
			w.WriteHeader(http.StatusAccepted)
			return
		default:
			if result = answer(w, r, m); result == nil {
				return
			}
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
	}
}

func toolsAnswer(names ...string) any {
	var tools []map[string]any
	for _, n := range names {
		tools = append(tools, map[string]any{"name": n})
	}
	return map[string]any{"tools": tools}
}

func TestHTTP(t *testing.T) {
	s, h := real(t)
	var mu sync.Mutex
	seen := map[string]string{}
	front := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Method] = r.Header.Get("Authorization") + r.Header.Get("X-Team")
		mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	c := remote(front.URL + "/mcp?key=k3y-in-query")
	c.Headers = map[string]string{"Authorization": "Bearer t0ken-in-header", "X-Team": "blue"}
	w := open(t, c)
	ev := w.state(StateReady)
	equal(t, w.names(), []string{"echo"})
	if ev.Info.Name != "real" || ev.Info.PID != 0 {
		t.Errorf("%+v", ev.Info)
	}
	got, err := w.hub.Call(t.Context(), "srv", "echo", json.RawMessage(`{}`), nil)
	if err != nil || !strings.Contains(string(got), `"text":"echo"`) {
		t.Errorf("%s %v", got, err)
	}
	add(s, "second")
	w.until("the second tool", func(ev ServerEvent) bool { return ev.Kind == EventTools && len(ev.Tools) == 2 })
	if _, err = w.hub.Call(t.Context(), "srv", "third", nil, nil); err == nil {
		t.Error("no error for an unknown tool")
	}
	w.hub.Disable("srv")
	w.state(StateOff)
	mu.Lock()
	defer mu.Unlock()
	for method, headers := range seen {
		if headers != "Bearer t0ken-in-headerblue" {
			t.Errorf("%s came with %q", method, headers)
		}
	}
	if len(seen) < 2 {
		t.Errorf("only %v", seen)
	}
}

func TestHTTPReasons(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	for _, test := range []struct {
		name    string
		handler http.Handler
		reason  []string
	}{
		{"401", status(401, ""), []string{"initialize: the server asks for authorization", "check the Authorization header"}},
		{"403", status(403, ""), []string{"initialize: the server refuses the handshake", "HTTP 403: check the Authorization header"}},
		{"404", status(404, ""), []string{"initialize: the server refuses the handshake", "HTTP 404: the path of the url may be wrong"}},
		{"500", status(500, "no t0ken-in-header for you"), []string{"initialize: request failed with status 500: no *** for you"}},
		{"a web page", status(200, "<html>"), []string{"initialize: unexpected content type"}},
		{"tools refused", rpc(func(w http.ResponseWriter, _ *http.Request, m message) any {
			w.WriteHeader(500)
			return nil
		}), []string{"tools/list: "}},
		{"400 with nothing in it", rpc(func(w http.ResponseWriter, _ *http.Request, m message) any {
			w.WriteHeader(400)
			io.WriteString(w, "{}")
			return nil
		}), []string{"tools/list: the answer holds neither a result nor an error; HTTP 400 Bad Request"}},
		{"nobody there", nil, []string{"initialize: cannot connect: ", "connection refused", "check that the server runs"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			address := closed.URL
			if test.handler != nil {
				address = serveHTTP(t, test.handler).URL
			}
			c := remote(strings.Replace(address, "http://", "http://user:p4ssw0rd@", 1) + "/mcp?key=k3y-in-query")
			c.Headers = map[string]string{"Authorization": "Bearer t0ken-in-header"}
			w := open(t, c)
			want(t, w.state(StateFailed).Reason, test.reason...)
			all := fmt.Sprintf("%+v", w.seen)
			for _, leak := range []string{"k3y-in", "t0ken", "p4ssw0rd"} {
				if strings.Contains(all, leak) {
					t.Errorf("%s leaks: %s", leak, all)
				}
			}
		})
	}
}

// A redirect to another host takes neither the headers nor the query along.
func TestHTTPRedirect(t *testing.T) {
	var mu sync.Mutex
	var elsewhere []http.Header
	other := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		elsewhere = append(elsewhere, r.Header.Clone())
		mu.Unlock()
		w.WriteHeader(http.StatusUnauthorized)
	}))
	first := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/there", http.StatusTemporaryRedirect)
	}))
	c := remote(strings.Replace(first.URL, "http://", "http://user:p4ssw0rd@", 1) + "/mcp?key=k3y-in-query")
	c.Headers = map[string]string{"X-Api-Key": "t0ken-in-header", "Cookie": "c00kie"}
	w := open(t, c)
	want(t, w.state(StateFailed).Reason, "redirects to "+other.URL, "the configured headers are not sent")
	mu.Lock()
	defer mu.Unlock()
	if len(elsewhere) == 0 {
		t.Fatal("the redirect was not followed")
	}
	all := fmt.Sprint(elsewhere)
	for _, leak := range []string{"t0ken", "c00kie", "k3y", "p4ssw0rd", "dXNlcjpwNHNzdzByZA"} {
		if strings.Contains(all, leak) {
			t.Errorf("%s leaks: %s", leak, all)
		}
	}
}

func TestHTTPRedirectAtHome(t *testing.T) {
	_, h := real(t)
	front := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/v2/mcp":
			http.Redirect(w, r, "/v2/mcp", http.StatusPermanentRedirect)
		case r.Header.Get("X-Api-Key") != "t0ken-in-header":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			h.ServeHTTP(w, r)
		}
	}))
	c := remote(front.URL + "/mcp")
	c.Headers = map[string]string{"X-Api-Key": "t0ken-in-header"}
	open(t, c).state(StateReady)
}

// What a server sends without end is not held.
func TestHTTPBounds(t *testing.T) {
	endless := func(w io.Writer) {
		block := strings.Repeat(" ", 1<<16)
		for {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter){
		"gzip bomb": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, `{"jsonrpc":"2.0","id":1000,"result":"`)
			endless(z)
		},
		"endless event": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, `data: {"jsonrpc":"2.0","id":1000,"result":"`)
			endless(w)
		},
		"endless error": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusInternalServerError)
			endless(w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := serveHTTP(t, rpc(func(w http.ResponseWriter, _ *http.Request, _ message) any {
				answer(w)
				return nil
			}))
			w := openWith(t, Options{maxMessage: 1 << 20}, remote(h.URL))
			want(t, w.state(StateFailed).Reason, "tools/list: ", "longer than the 1048576 bytes accepted")
		})
	}
}

// Events are bounded one by one: a stream may go on.
func TestBoundedBody(t *testing.T) {
	stream := strings.Repeat("data: "+strings.Repeat("x", 50)+"\r\n\r\n", 100)
	for _, test := range []struct {
		name   string
		text   string
		events bool
		fits   bool
	}{
		{"many small events", stream, true, true},
		{"as one body", stream, false, false},
		{"one large event", "data: " + strings.Repeat("data: x\n", 20) + "\n", true, false},
		{"just fits", strings.Repeat("x", 100), false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &boundedBody{ReadCloser: io.NopCloser(strings.NewReader(test.text)), events: test.events, max: 100, over: func() {}}
			if _, err := io.ReadAll(b); (err == nil) != test.fits {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestHTTPSlowAnswer(t *testing.T) {
	h := serveHTTP(t, rpc(func(w http.ResponseWriter, r *http.Request, _ message) any {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, "{")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return nil
	}))
	c := remote(h.URL)
	c.ConnectTimeout = 400 * time.Millisecond
	want(t, open(t, c).state(StateFailed).Reason, "tools/list: no answer within 400ms (connect_timeout)")
}

func TestHTTPServerGoesAway(t *testing.T) {
	_, h := real(t)
	front := serveHTTP(t, h)
	w := open(t, remote(front.URL+"/mcp"))
	w.state(StateReady)
	front.CloseClientConnections()
	front.Listener.Close()
	want(t, w.state(StateFailed).Reason, "the server cannot be reached any more", "refused")
}

func TestHTTPSessionEnds(t *testing.T) {
	var mu sync.Mutex
	gone := false
	h := rpc(func(http.ResponseWriter, *http.Request, message) any { return toolsAnswer("one") })
	front := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if gone {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Mcp-Session-Id", "s1")
		h(w, r)
	}))
	w := open(t, remote(front.URL))
	w.state(StateReady)
	mu.Lock()
	gone = true
	mu.Unlock()
	_, err := w.hub.Call(t.Context(), "srv", "one", nil, nil)
	if err == nil {
		t.Fatal("no error")
	}
	want(t, err.Error(), "server srv: the server ended the session (404)")
	want(t, w.state(StateFailed).Reason, "the server ended the session (404)")
}

// A server that hangs at the end of the session holds up nobody for good.
func TestHTTPHangsAtTheEnd(t *testing.T) {
	h := rpc(func(http.ResponseWriter, *http.Request, message) any { return toolsAnswer("one") })
	front := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Mcp-Session-Id", "s1")
		if r.Method == http.MethodDelete {
			<-r.Context().Done()
			return
		}
		h(w, r)
	}))
	w := open(t, remote(front.URL))
	w.state(StateReady)
	w.hub.Close()
}

func TestProxySecrets(t *testing.T) {
	secrets := proxySecrets([]string{"HTTPS_PROXY=http://me:p4ssw0rd@proxy:3128", "HOME=/home/a@b", "no_proxy=a,b"})
	if !strings.Contains(fmt.Sprint(secrets), "p4ssw0rd") || strings.Contains(fmt.Sprint(secrets), "home") {
		t.Errorf("%q", secrets)
	}
	u, _ := url.Parse("http://me:p4ssw0rd@proxy:3128")
	if got := config.NewRedactor(nil, secrets...).Redact("via " + u.String()); strings.Contains(got, "p4ssw0rd") {
		t.Error(got)
	}
}
