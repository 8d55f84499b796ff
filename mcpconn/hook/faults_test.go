//go:build unix

package hook

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// patience is how long a test waits for what must come before it gives up. No
// test asserts how long anything takes.
const patience = 60 * time.Second

// always is the consent to every hook.
func always(config.Hook) bool { return true }

// large is an input whose arguments are of 10 MB, far more than a pipe holds.
func large() Input {
	in := input()
	in.Args = json.RawMessage(`{"<é>":"` + strings.Repeat("x", 10<<20) + `"}`)
	return in
}

// file writes a file for a hook to be.
func file(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hook")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// Whatever is wrong with a hook, the call goes on, or is blocked where the hook
// is fail_closed; the reason says what was wrong. What a hook means to say is
// the same with and without fail_closed.
func TestFaults(t *testing.T) {
	words := func(words ...string) config.Hook {
		h := sh("")
		h.Words = words
		return h
	}
	for _, test := range []struct {
		name    string
		hook    config.Hook
		action  Action // Failed is Block with fail_closed
		message string // the whole of it, or its start where it ends in …
	}{
		{"missing", words("/no/such/hook"), Failed, "it cannot be run: no such file or directory"},
		{"not in PATH", words("no-such-hook-anywhere"), Failed, "it cannot be run: executable file not found in $PATH"},
		{"not executable", words(file(t, "#!/bin/sh\n", 0o600)), Failed, "it cannot be run: permission denied"},
		{"a folder", words(t.TempDir()), Failed, "it cannot be run: permission denied"},
		{"no program", words(file(t, "neither script nor program\n", 0o700)), Failed, "it cannot be run: exec format error"},
		{"its interpreter is missing", words(file(t, "#!/no/such/interpreter\n", 0o700)), Failed, "it cannot be run: no such file or directory"},

		{"exit 1", sh("exit 1"), Failed, "it ended with exit status 1"},
		{"exit 1 and a reason", sh("echo ' oops ' >&2; exit 1"), Failed, "it ended with exit status 1: oops"},
		{"exit 127", sh("no-such-command 2>/dev/null"), Failed, "it ended with exit status 127"},
		{"exit 1 and lets it pass", sh(`echo '{"action":"allow"}'; exit 1`), Failed, "it ended with exit status 1"},
		{"exit 1 and modifies", sh(`echo '{"action":"modify","args":{"a":2}}'; exit 1`), Failed, "it ended with exit status 1"},
		{"exit 1 and blocks", sh(`echo '{"action":"block","message":"no"}'; exit 1`), Block, "no"},
		{"SIGKILL", sh("kill -9 $$"), Failed, "it ended with signal: killed"},
		{"SIGTERM", sh("kill -15 $$"), Failed, "it ended with signal: terminated"},
		{"SIGSEGV", sh("kill -11 $$"), Failed, "it ended with signal: segmentation fault…"},
		{"SIGKILL after a word", sh("echo dying >&2; kill -9 $$"), Failed, "it ended with signal: killed: dying"},
		{"SIGKILL after a block", sh(`echo '{"action":"block","message":"no"}'; kill -9 $$`), Block, "no"},

		{"exit 2", sh("echo 'not on a Friday' >&2; exit 2"), Block, "not on a Friday"},
		{"exit 2 without a word", sh("exit 2"), Block, "blocked by a hook"},
		{"exit 2 and blanks", sh("printf ' \n ' >&2; exit 2"), Block, "blocked by a hook"},
		{"exit 2 and a block", sh(`echo trace >&2; echo '{"decision":"block","reason":"no"}'; exit 2`), Block, "no"},
		{"exit 2 and an allow", sh(`echo no >&2; echo '{"action":"allow"}'; exit 2`), Block, "no"},
		{"exit 2 and garbage", sh(`echo no >&2; echo garbage; exit 2`), Block, "no"},
		{"exit 2 and too much of everything", sh(`head -c 10485760 /dev/zero | tr '\0' e >&2; head -c 10485760 /dev/zero; exit 2`), Block, strings.Repeat("e", maxReason) + "…"},
		{"exit 2 and bytes that are no UTF-8", sh(`printf 'no\377' >&2; exit 2`), Block, "no\xff"},

		{"10 MB of output", sh("head -c 10485760 /dev/zero"), Failed, "it printed more than the 1048576 bytes that are read"},
		{"10 MB of blanks", sh(`head -c 10485760 /dev/zero | tr '\0' ' '`), Failed, "it printed more than the 1048576 bytes that are read"},
		{"10 MB of errors", sh("head -c 10485760 /dev/zero >&2"), Pass, ""},
		{"10 MB of each", sh("head -c 10485760 /dev/zero >&2 & head -c 10485760 /dev/zero; wait"), Failed, "it printed more than the 1048576 bytes that are read"},
		{"10 MB of errors and exit 1", sh(`head -c 10485760 /dev/zero | tr '\0' e >&2; exit 1`), Failed, "it ended with exit status 1: " + strings.Repeat("e", maxReason) + "…"},
		{"10 MB of errors and an answer", sh(`head -c 10485760 /dev/zero >&2; echo '{"action":"block","message":"no"}'`), Block, "no"},

		{"an empty answer", sh("true"), Pass, ""},
		{"blanks", sh(`printf ' \r\n\t '`), Pass, ""},
		{"an empty object", sh("echo '{}'"), Pass, ""},
		{"unknown keys", sh(`echo '{"continue":true,"context":"x"}'`), Pass, `its answer has neither action nor decision, and so decides nothing: {"continue":true,"context":"x"}`},
		{"keys in capitals", sh(`echo '{"Action":"dance"}'`), Pass, `its answer has neither action nor decision, and so decides nothing: {"Action":"dance"}`},
		{"null for everything", sh(`echo '{"action":null,"decision":null,"message":null,"args":null}'`), Pass, ""},
		{"Claude Code's approve", sh(`echo '{"decision":"approve","reason":"fine"}'`), Pass, "fine"},

		{"garbage", sh("echo Traceback"), Failed, "its answer is no JSON object: Traceback"},
		{"JSON cut short", sh(`echo '{"action":"block"'`), Failed, `its answer is no JSON object: {"action":"block"`},
		{"JSON and more", sh(`echo '{"action":"allow"} and more'`), Failed, "its answer is no JSON object: …"},
		{"two objects", sh(`echo '{}{}'`), Failed, "its answer is no JSON object: {}{}"},
		{"a list", sh(`echo '[{"action":"block"}]'`), Failed, "its answer is no JSON object: …"},
		{"null", sh("echo null"), Failed, "its answer is no JSON object: null"},
		{"a text", sh(`echo '"block"'`), Failed, `its answer is no JSON object: "block"`},
		{"bytes that are no UTF-8", sh(`printf '\377\376'`), Failed, "its answer is no JSON object: �"},
		{"nested without end", sh(`head -c 100000 /dev/zero | tr '\0' '['`), Failed, "its answer is no JSON object: " + strings.Repeat("[", maxReason) + "…"},

		{"a block that is no UTF-8", sh(`printf '{"action":"block","message":"no \377"}'`), Block, "no �"},
		{"a block with a number", sh(`echo '{"action":"block","message":5}'`), Block, "blocked by a hook"},
		{"a block with an object", sh(`echo '{"decision":"block","reason":{"a":1},"message":"no"}'`), Block, "no"},
		{"a block beside an allow", sh(`echo '{"action":"allow","decision":"block","reason":"no"}'`), Block, "no"},
		{"a block beside an unknown word", sh(`echo '{"action":"dance","decision":"block","reason":"no"}'`), Block, "no"},
		{"a number for an action", sh(`echo '{"action":5}'`), Failed, "its action 5 is none of block, modify and approve"},
		{"a list for a decision", sh(`echo '{"decision":["block"]}'`), Failed, `its decision ["block"] is none of block, modify and approve`},
		{"an unknown word", sh(`echo '{"action":"Block"}'`), Failed, `its action "Block" is none of block, modify and approve`},

		{"modifies with a list", sh(`echo '{"action":"modify","args":[1]}'`), Failed, "it asks to modify the call and gives no arguments: args has to be an object"},
		{"modifies with null", sh(`echo '{"action":"modify","args":null}'`), Failed, "it asks to modify the call and gives no arguments: args has to be an object"},
		{"modifies with a text", sh(`echo '{"action":"modify","args":"{}"}'`), Failed, "it asks to modify the call and gives no arguments: args has to be an object"},
		{"modifies in two dialects", sh(`echo '{"decision":"modify","args":{"a":1}}'`), Failed, "it asks to modify the call and gives no arguments: tool_input has to be an object"},
		{"modifies too deep", sh(`printf '{"action":"modify","args":{"a":'; head -c 6000 /dev/zero | tr '\0' '['; head -c 6000 /dev/zero | tr '\0' ']'; echo '}}'`), Failed, "the arguments it gives cannot be used: JSON nested 6001 levels deep…"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, closed := range []bool{false, true} {
				action, message := test.action, test.message
				if closed && action == Failed {
					action, message = Block, strings.TrimSuffix(message, "…")+"…"
				}
				h := test.hook
				h.FailClosed = closed
				r := Run(t.Context(), h, input())
				start, more := strings.CutSuffix(message, "…")
				if r.Action != action || !strings.HasPrefix(r.Message, start) || !more && r.Message != start {
					t.Errorf("fail_closed %v: %s %q, want %s %q", closed, r.Action, r.Message, action, message)
				}
				if failed := closed && test.action == Failed; strings.HasSuffix(r.Message, " (fail_closed)") != failed {
					t.Errorf("fail_closed %v: %q", closed, r.Message)
				}
				if len(r.Args) > 0 {
					t.Errorf("fail_closed %v: it gives arguments: %s", closed, r.Args)
				}
				v, _ := Before(t.Context(), []config.Hook{h}, input(), always)
				if blocked := v.Outcome == engine.OutcomeBlocked; blocked != (action == Block) || v.Output != nil {
					t.Errorf("fail_closed %v: the call is %s, %s", closed, v.Outcome, v.Reason)
				}
			}
		})
	}
}

// After the call a hook blocks nothing, however it ends.
func TestFaultsAfterTheCall(t *testing.T) {
	for _, script := range []string{"exit 1", "exit 2", "echo garbage", "kill -9 $$", `echo '{"action":"block"}'`} {
		for _, closed := range []bool{false, true} {
			h := sh(script)
			h.Event, h.FailClosed = config.HookPost, closed
			v, results := After(t.Context(), []config.Hook{h}, input(), always)
			if v.Outcome != engine.OutcomePassed || len(results) != 1 || strings.Contains(v.Reason, "fail_closed") {
				t.Errorf("%s, fail_closed %v: %s, %s", script, closed, v.Outcome, v.Reason)
			}
		}
	}
}

// A hook that does not read what it is told fails by that alone as little as
// one that reads all of it.
func TestInputNotRead(t *testing.T) {
	for name, test := range map[string]struct {
		script  string
		action  Action
		message string
	}{
		"ends at once":              {"exit 0", Pass, ""},
		"closes its input":          {`exec 0<&-; echo '{"action":"block","message":"unread"}'`, Block, "unread"},
		"reads some of it":          {`head -c 10 >/dev/null; echo '{"action":"approve","message":"sure?"}'`, Approve, "sure?"},
		"blocks by its exit code":   {"echo no >&2; exit 2", Block, "no"},
		"answers before it reads":   {`echo '{"action":"block","message":"early"}'; cat >/dev/null`, Block, "early"},
		"10 MB of output meanwhile": {`head -c 10485760 /dev/zero >&2; cat >/dev/null`, Pass, ""},
		"fails":                     {"exit 3", Failed, "it ended with exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, closed := range []bool{false, true} {
				h := sh(test.script)
				h.FailClosed = closed
				action, message := test.action, test.message
				if closed && action == Failed {
					action, message = Block, message+" (fail_closed)"
				}
				if r := Run(t.Context(), h, large()); r.Action != action || r.Message != message {
					t.Errorf("fail_closed %v: %s %q", closed, r.Action, r.Message)
				}
			}
		})
	}
}

// Arguments of 10 MB reach the hook as they are.
func TestLargeInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "told")
	if r := Run(t.Context(), sh("cat > "+path), large()); r.Action != Pass {
		t.Fatalf("%s %q", r.Action, r.Message)
	}
	told, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got Input
	if err := json.Unmarshal(told, &got); err != nil {
		t.Fatal(err)
	}
	args, err := engine.Canonical(got.Args)
	if err != nil || !bytes.Equal(args, large().Args) || got.Tool != "mcp_hub_write" {
		t.Errorf("%v, %d of %d bytes, of %s", err, len(args), len(large().Args), got.Tool)
	}
}

// lifeline is a named pipe that processes hold open for as long as they live.
type lifeline struct {
	t     *testing.T
	path  string
	ours  *os.File    // keeps it open until the processes have opened it
	heard chan string // the lines that were written; closed once nobody holds it
}

func newLifeline(t *testing.T) lifeline {
	t.Helper()
	l := lifeline{t: t, path: filepath.Join(t.TempDir(), "life"), heard: make(chan string, 10)}
	if err := syscall.Mkfifo(l.path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(l.heard)
		in, err := os.Open(l.path)
		if err != nil {
			return
		}
		defer in.Close()
		for lines := bufio.NewScanner(in); lines.Scan(); {
			l.heard <- lines.Text()
		}
	}()
	ours, err := os.OpenFile(l.path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	l.ours = ours
	t.Cleanup(func() { ours.Close() })
	return l
}

// line waits for the next line.
func (l lifeline) line() string {
	l.t.Helper()
	select {
	case line, ok := <-l.heard:
		if ok {
			return line
		}
		l.t.Fatal("the processes have ended without a line")
	case <-time.After(patience):
		l.t.Fatal("no line was written")
	}
	return ""
}

// rest waits until nobody holds the pipe and returns the lines till then.
func (l lifeline) rest() (lines []string) {
	l.t.Helper()
	l.ours.Close()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-l.heard:
			if !ok {
				return lines
			}
			lines = append(lines, line)
		case <-timeout:
			l.t.Error("a process goes on")
			return lines
		}
	}
}

// kill ends a process that was to go on, by the line it wrote.
func (l lifeline) kill(line string) {
	l.t.Helper()
	pid, err := strconv.Atoi(line)
	if err == nil && pid > 1 {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		l.t.Errorf("process %q does not go on: %v", line, err)
	}
}

// stubborn is a script whose grandchild ignores SIGTERM and tells that it is
// there; everything waits for it.
func (l lifeline) stubborn() string {
	return fmt.Sprintf(`sh -c 'sh -c "trap \"\" TERM; exec 3>%s; echo up >&3; exec sleep 1000" & wait' & wait`, l.path)
}

// A hook that is too slow ends with all it has started, and so does one whose
// call is given up.
func TestSlowHook(t *testing.T) {
	for _, closed := range []bool{false, true} {
		suffix, action := "", Failed
		if closed {
			suffix, action = " (fail_closed)", Block
		}
		// A machine may be too slow for the grandchild to be there in time.
		for timeout := 500 * time.Millisecond; ; timeout *= 2 {
			l := newLifeline(t)
			h := sh(l.stubborn())
			h.Timeout, h.FailClosed = timeout, closed
			r := Run(t.Context(), h, input())
			lines := l.rest()
			if len(lines) == 0 && timeout < patience {
				continue
			}
			if want := fmt.Sprintf("no answer within %s (timeout)%s", timeout, suffix); r.Action != action || r.Message != want {
				t.Errorf("%s %q, want %s %q", r.Action, r.Message, action, want)
			}
			break
		}

		l := newLifeline(t)
		h := sh(l.stubborn())
		h.FailClosed = closed
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-l.heard
			cancel()
		}()
		if r := Run(ctx, h, input()); r.Action != action || r.Message != "cancelled"+suffix {
			t.Errorf("%s %q", r.Action, r.Message)
		}
		l.rest()
	}
}

// A call that is given up while its hooks run is not dispatched, and the hooks
// that are still to come do not run.
func TestGivenUp(t *testing.T) {
	l := newLifeline(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-l.heard
		cancel()
	}()
	hooks := []config.Hook{sh(`echo '{"action":"approve"}'`), sh(l.stubborn()), sh(`echo '{"action":"modify","args":{"a":2}}'`)}
	v, results := Before(ctx, hooks, input(), always)
	if v.Outcome != engine.OutcomeBlocked || !strings.HasPrefix(v.Reason, "the call was cancelled") || v.Demand != "" || v.Output != nil || len(results) != 2 {
		t.Errorf("%+v, %d results", v, len(results))
	}
	l.rest()
}

// What a hook leaves running holds up nobody, whatever it holds open; it is the
// person's own and goes on.
func TestDaemon(t *testing.T) {
	for name, test := range map[string]struct {
		fed     bool   // more input than a pipe holds
		holds   string // redirections of the daemon
		then    string // what the hook itself does after it has started it
		action  Action
		message string
	}{
		"output, no answer":      {false, "", "true", Pass, ""},
		"output, a block":        {false, "", `echo '{"action":"block","message":"no"}'`, Block, "no"},
		"output, exit 2":         {false, "", "echo no >&2; exit 2", Block, "no"},
		"output, exit 3":         {false, "", "exit 3", Failed, "it ended with exit status 3"},
		"output, garbage":        {false, "", "echo garbage", Failed, "its answer is no JSON object: garbage"},
		"output, a signal":       {false, "", "kill -9 $$", Failed, "it ended with signal: killed"},
		"errors alone":           {false, ">/dev/null", `echo '{"action":"block","message":"no"}'`, Block, "no"},
		"input alone":            {true, "<&0 >/dev/null 2>&1", `echo '{"action":"block","message":"no"}'`, Block, "no"},
		"everything":             {true, "<&0", `echo '{"action":"block","message":"no"}'`, Block, "no"},
		"nothing":                {false, "</dev/null >/dev/null 2>&1", `echo '{"action":"block","message":"no"}'`, Block, "no"},
		"output, all input read": {true, "", `cat >/dev/null; echo '{"action":"block","message":"no"}'`, Block, "no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, closed := range []bool{false, true} {
				l := newLifeline(t)
				h := sh(fmt.Sprintf(`sh -c 'exec 3>%s; echo $$ >&3; exec sleep 1000' %s & %s`, l.path, test.holds, test.then))
				h.FailClosed = closed
				action, message := test.action, test.message
				if closed && action == Failed {
					action, message = Block, message+" (fail_closed)"
				}
				in := input()
				if test.fed {
					in = large()
				}
				if r := Run(t.Context(), h, in); r.Action != action || r.Message != message {
					t.Errorf("fail_closed %v: %s %q", closed, r.Action, r.Message)
				}
				l.kill(l.line())
				l.rest()
			}
		})
	}
}

// A daemon that writes without end is bounded like the hook itself.
func TestChattyDaemon(t *testing.T) {
	l := newLifeline(t)
	h := sh(fmt.Sprintf(`sh -c 'exec 3>%s; echo up >&3; exec yes' & true`, l.path))
	if r := Run(t.Context(), h, input()); r.Action != Failed {
		t.Errorf("%s %q", r.Action, r.Message)
	}
	l.rest() // nobody reads its output any more, which ends it
}

// An answer counts, though the call is given up while something the hook left
// running still holds its output.
func TestAnswerBeforeTheEnd(t *testing.T) {
	l := newLifeline(t)
	ctx, cancel := context.WithCancel(t.Context())
	daemon := make(chan string, 1)
	go func() {
		daemon <- <-l.heard
		l.rest() // the hook itself has ended
		cancel()
	}()
	h := sh(fmt.Sprintf(`exec 3>%s; sleep 1000 3>&- & echo $! >&3; echo '{"action":"block","message":"no"}'`, l.path))
	if r := Run(ctx, h, input()); r.Action != Block || r.Message != "no" {
		t.Errorf("%s %q", r.Action, r.Message)
	}
	if pid, err := strconv.Atoi(<-daemon); err != nil {
		t.Error(err)
	} else if pid > 1 {
		syscall.Kill(pid, syscall.SIGKILL) // unless it ended with the call
	}
	<-ctx.Done()
}

// What hooks give goes over the arguments key by key, one hook after the other.
func TestModifies(t *testing.T) {
	gives := func(args string) config.Hook {
		return sh(`echo '{"action":"modify","args":` + args + `}'`)
	}
	for _, test := range []struct {
		args  string
		hooks []config.Hook
		want  string
	}{
		{`{"a":1,"b":2}`, []config.Hook{gives(`{}`)}, `{"a":1,"b":2}`},
		{`{"a":1,"b":2}`, []config.Hook{gives(`{"a":3}`)}, `{"a":3,"b":2}`},
		{`{"b":1,"a":2}`, []config.Hook{gives(`{ "c" : [ 1 ] }`), gives(`{"b":null}`)}, `{"b":null,"a":2,"c":[1]}`},
		{`{"a":{"x":1,"y":2}}`, []config.Hook{gives(`{"a":{"x":3}}`)}, `{"a":{"x":3}}`},
		{`{}`, []config.Hook{gives(`{"a\u0022<":"é&"}`)}, `{"a\"<":"é&"}`},
		{`{"n":12345678901234567890}`, []config.Hook{gives(`{"m":1.0}`)}, `{"n":12345678901234567890,"m":1.0}`},
		{`{"a":1}`, []config.Hook{sh(`printf '{"action":"modify","args":{"a":"\377"}}'`)}, `{"a":"�"}`},
		{`{"a":1}`, []config.Hook{gives(`{"b":2}`), sh(`grep -q '"tool_input":{"a":1,"b":2}' && echo '{"decision":"modify","tool_input":{"seen":true}}'`)}, `{"a":1,"b":2,"seen":true}`},
	} {
		in := input()
		in.Args = json.RawMessage(test.args)
		v, _ := Before(t.Context(), test.hooks, in, always)
		if v.Outcome != engine.OutcomeChanged || string(v.Output) != test.want {
			t.Errorf("%s: %s, %s, want %s", test.args, v.Outcome, v.Output, test.want)
		}
		if string(in.Args) != test.args {
			t.Errorf("the input itself was changed to %s", in.Args)
		}
	}
}

func FuzzOver(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[{}]}`), []byte(`{"b":2,"c":"x"}`))
	f.Add([]byte(`{}`), []byte(`{}`))
	f.Add([]byte(`{"a":1,"a":2}`), []byte(`{"a":3}`))
	f.Add([]byte(`[1]`), []byte(`{"\u0000":null}`))
	f.Fuzz(func(t *testing.T, args, others []byte) {
		c, err := engine.Canonical(args)
		if err != nil {
			return
		}
		o, err := engine.Canonical(others)
		if err != nil || o[0] != '{' {
			return
		}
		var before, given, after map[string]json.RawMessage
		json.Unmarshal(c, &before)
		json.Unmarshal(o, &given)
		merged := over(c, o)
		if err := json.Unmarshal(merged, &after); err != nil {
			t.Fatalf("%s over %s is %s: %v", o, c, merged, err)
		}
		for k, v := range after {
			want, ok := given[k]
			if !ok {
				want, ok = before[k]
			}
			if !ok || !bytes.Equal(v, want) {
				t.Errorf("%s over %s is %s", o, c, merged)
			}
		}
		for _, all := range []map[string]json.RawMessage{before, given} {
			for k := range all {
				if _, ok := after[k]; !ok {
					t.Errorf("%s over %s is %s: %q is missing", o, c, merged, k)
				}
			}
		}
	})
}
