package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolscope/mcpconn"
)

func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	tell := progressLines(&out)
	for _, p := range []mcpconn.Progress{
		{Done: 1, Total: 10, Message: "begin"},
		{Done: 1, Total: 10, Message: "begin"},
		{Done: 1.001, Total: 10, Message: "begin"}, // shown alike
		{Done: 2, Total: 10},
		{Done: 3, Message: "\x1b[2Jhostile\nprogress 10/10"},
		{Done: 1, Total: 10, Message: "begin"},
		{Done: 4, Message: strings.Repeat("x", 5000)},
	} {
		tell(p)
	}
	want := "progress 1/10 begin\nprogress 2/10\nprogress 3 ␛[2Jhostile↵progress 10/10\nprogress 1/10 begin\nprogress 4 " + strings.Repeat("x", 399) + "…\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// A live call prints its progress beside its result, whatever form that has.
func TestCallLiveProgress(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(slowTool))
	defer srv.Close()
	defer srv.CloseClientConnections()
	path := write(t, "c.yaml", "mcp_servers:\n  slow:\n    url: "+srv.URL+"\n")
	for _, form := range []string{"--json=false", "--json"} {
		code, out, errOut := toolscope(t, "call", "mcp_slow_work", "--live", "--yes", "--config", path, form)
		if code != 0 || !strings.Contains(errOut, "progress 2/2 done\n") || strings.Contains(out, "progress") || !strings.Contains(out, "finished") {
			t.Errorf("%s: exit %d, %s\n%s", form, code, out, errOut)
		}
	}
	if _, _, errOut := toolscope(t, "call", "mcp_slow_work", "--yes", "--config", path); strings.Contains(errOut, "progress") {
		t.Errorf("a simulated call has progress: %s", errOut)
	}
}

// slowTool is a server whose one tool tells its progress.
func slowTool(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
		}
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if len(m.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(format string, args ...any) { fmt.Fprintf(w, "data: "+format+"\n\n", args...) }
	reply := func(result string) { event(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result) }
	switch m.Method {
	case "initialize":
		reply(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"slow","version":"1"}}`)
	case "tools/list":
		reply(`{"tools":[{"name":"work","description":"Work.","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		for i, message := range []string{"half", "done"} {
			event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":2,"message":%q}}`, m.Params.Meta.ProgressToken, i+1, message)
		}
		reply(`{"content":[{"type":"text","text":"finished"}]}`)
	default:
		io.WriteString(w, "\n")
	}
}
