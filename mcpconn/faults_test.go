package mcpconn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"toolscope/engine"
)

// part is what a call tells the script "faulty" to do, in this order.
type part struct {
	Words  string          `json:"words,omitempty"`  // written to stderr
	Lines  []string        `json:"lines,omitempty"`  // written to stdout, the call's id for ID
	Half   string          `json:"half,omitempty"`   // written to stdout without the end of the line
	Hold   bool            `json:"hold,omitempty"`   // reported, and answered once it is cancelled
	Echo   json.RawMessage `json:"echo,omitempty"`   // sent back as structuredContent
	Exit   *int            `json:"exit,omitempty"`   // the code to end with
	Signal syscall.Signal  `json:"signal,omitempty"` // the signal to end by
}

func (p part) args(t *testing.T) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func (p part) play(s *script, m message) {
	if p.Words != "" {
		fmt.Fprintln(os.Stderr, p.Words)
	}
	for _, line := range p.Lines {
		s.say("%s", strings.ReplaceAll(line, "ID", string(m.ID)))
	}
	fmt.Fprint(s.out, strings.ReplaceAll(p.Half, "ID", string(m.ID)))
	if len(p.Echo) > 0 {
		s.reply(m, `{"content":[],"structuredContent":`+string(p.Echo)+`}`)
	}
	if p.Exit != nil {
		os.Exit(*p.Exit)
	}
	if p.Signal != 0 {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			self.Signal(p.Signal)
		}
		forever()
	}
}

// callOf is what a message calls a tool with.
func callOf(m message) (p part) {
	var params struct{ Arguments part }
	if err := json.Unmarshal(m.Params, &params); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(74)
	}
	return params.Arguments
}

// crowd is how many calls are under way at once.
const crowd = 100

var faultScripts = map[string]func(*script){
	"faulty": func(s *script) { // each call says what goes wrong with it
		s.shake()
		var held []message
		for {
			switch m := s.next(); m.Method {
			case "tools/list":
				s.reply(m, `{"tools":[`+tool("do")+`]}`)
			case "tools/call":
				p := callOf(m)
				if p.Hold {
					held = append(held, m)
					s.report("held")
				}
				p.play(s, m)
			case "notifications/cancelled": // answered all the same, and more than once
				var given struct{ RequestID json.RawMessage }
				if err := json.Unmarshal(m.Params, &given); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(74)
				}
				for _, h := range held {
					if string(h.ID) == string(given.RequestID) {
						s.reply(h, `{"content":[{"type":"text","text":"late"}]}`)
						s.fail(h, -32000, "late")
						s.reply(h, `"late"`)
					}
				}
				s.report("answered late")
			}
		}
	},
	"crowd": func(s *script) { // answers none of the calls before all are there, the last one first
		s.shake()
		s.list(tool("do"))
		for {
			var calls []message
			for len(calls) < crowd {
				calls = append(calls, s.await("tools/call"))
			}
			slices.Reverse(calls)
			for _, m := range calls {
				callOf(m).play(s, m)
			}
		}
	},
}

// text is an answer to the call that it is written for.
func text(s string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":%q}]}}`, s)
}

// works calls once more and sees that the answer is the call's own.
func (w *watcher) works(word string) {
	w.t.Helper()
	got, err := w.hub.Call(w.t.Context(), "srv", "do", part{Lines: []string{text(word)}}.args(w.t), nil)
	if want := `{"content":[{"type":"text","text":"` + word + `"}]}`; err != nil || string(got) != want {
		w.t.Errorf("the next call: %s, %v", got, err)
	}
}

// A call whose server dies says how it died, and so does the next one; a new
// session works.
func TestServerDiesDuringACall(t *testing.T) {
	code := func(n int) *int { return &n }
	for _, test := range []struct {
		name   string
		part   part
		reason []string
	}{
		{"exit 0", part{Exit: code(0)}, []string{"exited with code 0"}},
		{"exit 1", part{Exit: code(1)}, []string{"exited with code 1"}},
		{"exit 255 after a word", part{Words: "out of\tmemory", Exit: code(255)}, []string{"exited with code 255", "its last words: out of memory"}},
		{"SIGKILL", part{Signal: syscall.SIGKILL}, []string{"was ended by SIGKILL"}},
		{"SIGTERM", part{Signal: syscall.SIGTERM}, []string{"was ended by SIGTERM"}},
		{"SIGKILL after a word", part{Words: "oom", Signal: syscall.SIGKILL}, []string{"was ended by SIGKILL", "its last words: oom"}},
		{"exit in the middle of an answer", part{Half: `{"jsonrpc":"2.0","id":ID,"result":{"content":[`, Exit: code(3)}, []string{"exited with code 3"}},
		{"SIGKILL in the middle of an answer", part{Half: `{"jsonrpc":"2.0","id":ID,"result":{"content":[`, Signal: syscall.SIGKILL}, []string{"was ended by SIGKILL"}},
		{"exit after noise", part{Lines: []string{"fatal: ID", `{"jsonrpc":"2.0"}`}, Exit: code(4)}, []string{"exited with code 4"}},
		{"exit after an answer to nobody", part{Lines: []string{`{"jsonrpc":"2.0","id":77,"result":{}}`}, Exit: code(5)}, []string{"exited with code 5"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, scripted(t, "faulty"))
			w.state(StateReady)
			got, err := w.hub.Call(t.Context(), "srv", "do", test.part.args(t), nil)
			if err == nil || got != nil {
				t.Fatalf("%s, %v", got, err)
			}
			want(t, err.Error(), append(test.reason, "server srv: the server ")...)
			want(t, w.state(StateFailed).Reason, test.reason...)
			if _, err = w.hub.Call(t.Context(), "srv", "do", nil, nil); err == nil {
				t.Error("the next call has no error")
			} else {
				want(t, err.Error(), append(test.reason, "server srv is failed: ")...)
			}
			if err := w.hub.Retry("srv"); err != nil {
				t.Fatal(err)
			}
			w.state(StateReady)
			w.works("again")
		})
	}
}

// What a server answers before it dies is an answer.
func TestAnswerBeforeDeath(t *testing.T) {
	code := 6
	for name, p := range map[string]part{
		"exit":            {Lines: []string{text("last")}, Exit: &code},
		"SIGKILL":         {Lines: []string{text("last")}, Signal: syscall.SIGKILL},
		"no end of line":  {Half: text("last"), Exit: &code},
		"amid much noise": {Lines: []string{strings.Repeat("x", 1<<20), text("last"), strings.Repeat("y", 1<<20)}, Exit: &code},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, scripted(t, "faulty"))
			w.state(StateReady)
			got, err := w.hub.Call(t.Context(), "srv", "do", p.args(t), nil)
			if err != nil || string(got) != `{"content":[{"type":"text","text":"last"}]}` {
				t.Errorf("%s, %v", got, err)
			}
			w.state(StateFailed)
		})
	}
}

// An answer that comes after its call was given up goes to nobody, however often
// it comes.
func TestLateAnswer(t *testing.T) {
	l := listen(t)
	s := scripted(t, "faulty")
	s.Env[reportVar] = l.Addr().String()
	w := open(t, s)
	w.state(StateReady)
	for round := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := w.hub.Call(ctx, "srv", "do", part{Hold: true}.args(t), nil)
			ended <- err
		}()
		expect(t, l, "held")
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		} else {
			want(t, err.Error(), "server srv: the call was cancelled")
		}
		expect(t, l, "answered late")
		w.works(fmt.Sprint("round ", round))
	}
}

// A call that is never answered ends with the server's timeout; the error names
// both.
func TestNoAnswer(t *testing.T) {
	for timeout, says := range map[time.Duration]string{
		100 * time.Millisecond: "server slow one: no answer within 100ms (timeout)",
		time.Second:            "server slow one: no answer within 1s (timeout)",
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			s := scripted(t, "faulty")
			s.Name, s.Timeout = "slow one", timeout
			w := open(t, s)
			w.state(StateReady)
			// Neither noise nor an answer to another call counts as one.
			p := part{Lines: []string{"working on it", `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`}}
			_, err := w.hub.Call(t.Context(), "slow one", "do", p.args(t), nil)
			if err == nil {
				t.Fatal("no error")
			}
			want(t, err.Error(), says)
			if s := w.roster.Servers()[0]; s.State != StateReady {
				t.Errorf("the server is %s", s.State)
			}
		})
	}
}

// Ten megabytes go there and come back as they are.
func TestLargeCall(t *testing.T) {
	s := scripted(t, "faulty")
	s.Timeout = 10 * patience // a race detector makes it slow
	w := open(t, s)
	w.state(StateReady)
	odd := `<é \u2028> & 😀\n`
	large := `{"` + odd + `":"` + odd + strings.Repeat("x", 10<<20) + odd + `","n":12345678901234567890.10}`
	got, err := w.hub.Call(t.Context(), "srv", "do", part{Echo: json.RawMessage(large)}.args(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ StructuredContent json.RawMessage }
	if err := json.Unmarshal(got, &result); err != nil {
		t.Fatal(err)
	}
	sent, err := engine.Canonical(json.RawMessage(large))
	if err != nil {
		t.Fatal(err)
	}
	back, err := engine.Canonical(result.StructuredContent)
	if err != nil || string(back) != string(sent) {
		t.Errorf("%d of %d bytes came back: %v", len(back), len(sent), err)
	}
	w.works("small")
}

// A result that is larger than what is accepted fails its call at once and no
// other.
func TestResultTooLarge(t *testing.T) {
	w := openWith(t, Options{Grace: 400 * time.Millisecond, maxMessage: 1 << 20}, scripted(t, "faulty"))
	w.state(StateReady)
	_, err := w.hub.Call(t.Context(), "srv", "do", part{Echo: json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)}.args(t), nil)
	var answer *AnswerError
	if !errors.As(err, &answer) {
		t.Fatal(err)
	}
	want(t, answer.Message, "the answer cannot be read: a line of 2", "bytes is longer than the 1048576 accepted")
	w.works("small")
}

// A result that breaks the protocol comes with an error that says how.
func TestMalformedResult(t *testing.T) {
	w := open(t, scripted(t, "faulty"))
	w.state(StateReady)
	for result, reason := range map[string]string{
		`null`:                         "it is null where an object is due",
		`true`:                         "it is a boolean where an object is due",
		`7`:                            "it is a number where an object is due",
		`"done"`:                       "it is a string where an object is due",
		`[{"type":"text","text":"x"}]`: "it is a list where an object is due",
		`{}`:                           "content is missing",
		`{"toolResult":1}`:             "content is missing",
		`{"Content":[]}`:               "content is missing",
		`{"content":null}`:             "content is null where a list is due",
		`{"content":"x"}`:              "content is a string where a list is due",
		`{"content":{"type":"text"}}`:  "content is an object where a list is due",
		`{"content":["x"]}`:            "content[0] is a string where an object is due",
		`{"content":[null]}`:           "content[0] is null where an object is due",
		`{"content":[{}]}`:             "content[0].type is missing",
		`{"content":[{"type":1}]}`:     "content[0].type is a number where a string is due",
		`{"content":[{"type":"text","text":"x"},{"type":"text"}]}`:            "content[1].text is missing",
		`{"content":[{"type":"text","text":{"a":1}}]}`:                        "content[0].text is an object where a string is due",
		`{"content":[{"type":"image","data":"aGk="}]}`:                        "content[0].mimeType is missing",
		`{"content":[{"type":"audio","data":null,"mimeType":"audio/wav"}]}`:   "content[0].data is null where a string is due",
		`{"content":[{"type":"resource_link","uri":"x:1","name":false}]}`:     "content[0].name is a boolean where a string is due",
		`{"content":[{"type":"resource","resource":"x:1"}]}`:                  "content[0].resource is a string where an object is due",
		`{"content":[{"type":"resource"}]}`:                                   "content[0].resource is missing",
		`{"content":[],"isError":"yes"}`:                                      "isError is a string where a boolean is due",
		`{"content":[],"isError":null}`:                                       "isError is null where a boolean is due",
		`{"content":[],"structuredContent":[1]}`:                              "structuredContent is a list where an object is due",
		`{"content":[]}`:                                                      "",
		`{"content":[],"isError":true,"structuredContent":null,"_meta":{}}`:   "",
		`{"content":[{"type":"text","text":""},{"type":"hologram","x":1}]}`:   "",
		`{"content":[{"type":"resource","resource":{"uri":"x:1"}}]}`:          "",
		`{"resultType":"input_required","requestState":"s"}`:                  "",
		`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`: "",
	} {
		got, err := w.hub.Call(t.Context(), "srv", "do", part{Lines: []string{`{"jsonrpc":"2.0","id":ID,"result":` + result + `}`}}.args(t), nil)
		if string(got) != result {
			t.Errorf("%s came as %s", result, got)
		}
		var odd *ResultError
		switch {
		case reason == "" && err != nil, reason != "" && !errors.As(err, &odd):
			t.Errorf("%s: %v", result, err)
		case reason != "" && err.Error() != "server srv: the result is malformed: "+reason:
			t.Errorf("%s: %v\nwant %s", result, err, reason)
		}
	}
}

// An error answer of any shape ends its call and tells what it holds.
func TestErrorAnswers(t *testing.T) {
	w := open(t, scripted(t, "faulty"))
	w.state(StateReady)
	for answer, says := range map[string]AnswerError{
		`"error":{"code":-32700,"message":"Parse error"}`:                          {-32700, "Parse error"},
		`"error":{"code":-32600,"message":"Invalid Request"}`:                      {-32600, "Invalid Request"},
		`"error":{"code":-32601,"message":"Method not found"}`:                     {-32601, "Method not found"},
		`"error":{"code":-32602,"message":"Invalid params","data":{"path":["a"]}}`: {-32602, "Invalid params"},
		`"error":{"code":-32603,"message":"Internal error","data":null}`:           {-32603, "Internal error"},
		`"error":{"code":-32042,"message":"sign in","data":{"elicitations":[]}}`:   {-32042, "sign in"},
		`"error":{"code":1,"message":"\u001b[2J\u0000 ünï"}`:                       {1, "\x1b[2J\x00 ünï"},
		`"error":{"code":0,"message":""}`:                                          {0, ""},
		`"error":{"message":"no code"}`:                                            {0, "no code"},
		`"error":{"code":"E_BUSY","message":"a word for a code"}`:                  {-32603, "a word for a code"},
		`"error":{"code":1.5,"message":"a broken code"}`:                           {-32603, "a broken code"},
		`"error":{"code":1e300,"message":"a huge code"}`:                           {-32603, "a huge code"},
		`"error":{"code":5,"message":{"en":"an object"}}`:                          {-32603, `{"code":5,"message":{"en":"an object"}}`},
		`"error":{}`:    {0, ""},
		`"error":[1,2]`: {-32603, "[1,2]"},
		`"error":7`:     {-32603, "7"},
		`"error":true`:  {-32603, "true"},
		`"error":{"code":4,"message":"beside a result"},"result":{"content":[]}`: {4, "beside a result"},
		`"result":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000):  {-32700, "the answer cannot be decoded: invalid character '[' exceeded max depth"},
		`"params":{}`:  {-32700, "the answer holds neither a result nor an error"},
		`"error":null`: {-32700, "the answer holds neither a result nor an error"},
	} {
		got, err := w.hub.Call(t.Context(), "srv", "do", part{Lines: []string{`{"jsonrpc":"2.0","id":ID,` + answer + `}`}}.args(t), nil)
		var told *AnswerError
		if !errors.As(err, &told) || *told != says || got != nil {
			t.Errorf("%.100s: %s, %v; want %v", answer, got, err, &says)
		}
	}
	w.works("after all of them")
}

// What is no answer to a call takes nothing from the answer that follows.
func TestStrayLines(t *testing.T) {
	w := open(t, scripted(t, "faulty"))
	w.state(StateReady)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"nobody knows which"}}`,
		`{"jsonrpc":"2.0","id":99999,"result":{"content":[{"type":"text","text":"another's"}]}}`,
		`{"jsonrpc":"2.0","id":"ID-x","result":{}}`, `{"jsonrpc":"2.0","id":-1,"result":{}}`, `{"jsonrpc":"2.0","id":{"n":ID},"result":{}}`,
		`{"id":ID,"result":{"content":[]}}`, `{"jsonrpc":"2.0","id":ID,"result":{"content":[`, `{"jsonrpc":"2.0","result":{}}`,
		`[]`, `[[{"jsonrpc":"2.0","id":ID,"result":{}}]]`, "\x00\xff\xfe", `{"jsonrpc":"2.0","method":"notifications/nothing"}`,
	} {
		got, err := w.hub.Call(t.Context(), "srv", "do", part{Lines: []string{line, text("its own"), text("a second one")}}.args(t), nil)
		if err != nil || string(got) != `{"content":[{"type":"text","text":"its own"}]}` {
			t.Errorf("%q: %s, %v", line, got, err)
		}
	}
	w.works("after all of them")
	w.until("the error that answers nothing in the log", func(ev ServerEvent) bool {
		return ev.Kind == EventLog && strings.Contains(ev.Line, "nobody knows which")
	})
}

// inCrowd makes all calls of a crowd at once and returns how each ended.
func inCrowd(t *testing.T, w *watcher, p func(i int) part) (results []string, errs []error) {
	t.Helper()
	results, errs = make([]string, crowd), make([]error, crowd)
	var calls sync.WaitGroup
	for i := range crowd {
		args := p(i).args(t)
		calls.Go(func() {
			got, err := w.hub.Call(t.Context(), "srv", "do", args, nil)
			results[i], errs[i] = string(got), err
		})
	}
	calls.Wait()
	return results, errs
}

// A hundred calls to one server are under way at once, and each gets its own
// answer; when the server dies under them, each is told.
func TestCrowd(t *testing.T) {
	w := open(t, scripted(t, "crowd"))
	w.state(StateReady)
	for range 3 {
		results, errs := inCrowd(t, w, func(i int) part { return part{Lines: []string{text(strconv.Itoa(i))}} })
		for i := range crowd {
			if want := fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, i); errs[i] != nil || results[i] != want {
				t.Errorf("call %d: %s, %v", i, results[i], errs[i])
			}
		}
	}
	_, errs := inCrowd(t, w, func(int) part { return part{Signal: syscall.SIGKILL} })
	for i, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "server srv: the server was ended by SIGKILL") {
			t.Errorf("call %d: %v", i, err)
		}
	}
	want(t, w.state(StateFailed).Reason, "was ended by SIGKILL")
}

// A hundred calls that are given up at once are all cancelled at the server, and
// leave it as it was.
func TestCrowdGivenUp(t *testing.T) {
	l := listen(t)
	s := scripted(t, "faulty")
	s.Env[reportVar] = l.Addr().String()
	w := open(t, s)
	w.state(StateReady)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, crowd)
	for range crowd {
		go func() {
			_, err := w.hub.Call(ctx, "srv", "do", part{Hold: true}.args(t), nil)
			ended <- err
		}()
	}
	for range crowd {
		expect(t, l, "held")
	}
	cancel()
	for range crowd {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	for range crowd {
		expect(t, l, "answered late")
	}
	w.works("afterwards")
}

// A server that comes back by itself after it died during a call takes the next
// one.
func TestBackAfterDeath(t *testing.T) {
	s := scripted(t, "faulty")
	w := openWith(t, Options{Grace: 400 * time.Millisecond, Backoff: []time.Duration{time.Millisecond}}, s)
	w.state(StateReady)
	if _, err := w.hub.Call(t.Context(), "srv", "do", part{Signal: syscall.SIGKILL}.args(t), nil); err == nil {
		t.Error("no error")
	}
	want(t, w.state(StateFailed).Reason, "was ended by SIGKILL", "tried again in 1ms")
	w.state(StateReady)
	w.works("again")
}
