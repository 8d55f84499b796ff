package mcpconn

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"toolscope/mcpconn/config"
)

// The HTTP+SSE transport of 2024: list, call, be told of changes, and end.
func TestSSE(t *testing.T) {
	s, _ := real(t)
	var seen http.Header
	h := server.NewSSEServer(s)
	ts := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		h.ServeHTTP(w, r)
	}))
	entry := remote(ts.URL + "/sse")
	entry.Transport = config.TransportSSE
	entry.Headers = map[string]string{"X-Key": "k3y"}
	w := open(t, entry)
	w.state(StateReady)
	equal(t, w.names(), []string{"echo"})
	if seen.Get("X-Key") != "k3y" {
		t.Error("the headers are not sent")
	}
	got, err := w.hub.Call(t.Context(), "srv", "echo", nil, nil)
	want(t, string(got), "echo")
	if err != nil {
		t.Error(err)
	}
	add(s, "another")
	w.until("the longer list", func(ev ServerEvent) bool { return ev.Kind == EventTools && len(ev.Tools) == 2 })
	ts.CloseClientConnections()
	want(t, w.state(StateFailed).Reason, "the server ended the event stream")
}

func TestSSEReasons(t *testing.T) {
	ts := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) }))
	entry := remote(ts.URL)
	entry.Transport = config.TransportSSE
	want(t, open(t, entry).state(StateFailed).Reason, "opening the event stream: ", "403")
	entry.URL = "http://127.0.0.1:1/sse"
	want(t, open(t, entry).state(StateFailed).Reason, "connection refused")
}

// A server that knows no classic handshake is asked in the modern way.
func TestModernProtocol(t *testing.T) {
	w := open(t, scripted(t, "modern only"))
	ev := w.state(StateReady)
	equal(t, w.names(), []string{"one"})
	if ev.Info.Protocol != "2026-07-28" {
		t.Errorf("%+v", ev.Info)
	}
	want(t, w.lines(), "the classic handshake is refused: the modern protocol is tried")
	got, err := w.hub.Call(t.Context(), "srv", "one", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want(t, string(got), "io.modelcontextprotocol/protocolVersion", `"name":"one"`)
}

func TestTLS(t *testing.T) {
	_, h := real(t)
	ts := httptest.NewUnstartedServer(h)
	ts.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	ts.StartTLS()
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	dir := t.TempDir()
	put := func(name string, blocks ...*pem.Block) string {
		t.Helper()
		var data []byte
		for _, b := range blocks {
			data = append(data, pem.EncodeToMemory(b)...)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert := &pem.Block{Type: "CERTIFICATE", Bytes: ts.Certificate().Raw}
	der, err := x509.MarshalPKCS8PrivateKey(ts.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	key := &pem.Block{Type: "PRIVATE KEY", Bytes: der}
	ca, both, apart := put("ca.pem", cert), put("both.pem", cert, key), put("key.pem", key)

	for name, change := range map[string]func(*config.Server){
		"not checked":           func(s *config.Server) { s.SkipVerify = true },
		"authorities of a file": func(s *config.Server) { s.CAFile = ca },
		"certificate and key":   func(s *config.Server) { s.CAFile, s.ClientCert, s.ClientKey = ca, ca, apart },
		"both in one file":      func(s *config.Server) { s.CAFile, s.ClientCert = ca, both },
	} {
		t.Run(name, func(t *testing.T) {
			s := remote(ts.URL)
			change(&s)
			open(t, s).state(StateReady)
		})
	}
	for name, test := range map[string]struct {
		change func(*config.Server)
		reason string
	}{
		"unknown authority":      {func(*config.Server) {}, "certificate"},
		"no file of authorities": {func(s *config.Server) { s.CAFile = filepath.Join(dir, "none.pem") }, "none.pem cannot be read"},
		"no certificate in it":   {func(s *config.Server) { s.CAFile = apart }, "there is no certificate in"},
		"a key of another kind":  {func(s *config.Server) { s.ClientCert, s.ClientKey = ca, ca }, "cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			s := remote(ts.URL)
			test.change(&s)
			want(t, open(t, s).state(StateFailed).Reason, test.reason)
		})
	}
}
