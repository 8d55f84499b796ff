//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// workbenchVar makes the test binary the program itself, for tests that need it
// on a terminal of its own.
const workbenchVar = "TOOLSCOPE_TEST_WORKBENCH"

// terminal is the workbench on a terminal.
type terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	screen *os.File
	ended  chan error

	mu    sync.Mutex
	drawn bytes.Buffer
	more  chan struct{}
}

// patience bounds every wait of these tests.
const patience = 60 * time.Second

// openTerminal opens the workbench as for the first time.
func openTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	return openTerminalIn(t, t.TempDir(), args...)
}

// openTerminalIn opens it with a state directory.
func openTerminalIn(t *testing.T, state string, args ...string) *terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &terminal{t: t, cmd: exec.Command(self, args...), ended: make(chan error, 1), more: make(chan struct{}, 1)}
	w.cmd.Env = append(os.Environ(), workbenchVar+"=1", "TERM=xterm-256color", "XDG_STATE_HOME="+state)
	master, err := pty.StartWithSize(w.cmd, &pty.Winsize{Cols: 120, Rows: 36})
	if err != nil {
		t.Fatal(err)
	}
	// A file that does not block can be closed while it is read.
	fd, err := syscall.Dup(int(master.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	master.Close()
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	w.screen = os.NewFile(uintptr(fd), "terminal")
	t.Cleanup(func() { w.screen.Close() })
	var reading sync.WaitGroup
	reading.Add(1)
	go func() {
		defer reading.Done()
		buf := make([]byte, 64<<10)
		for {
			n, err := w.screen.Read(buf)
			w.mu.Lock()
			w.drawn.Write(buf[:n])
			w.mu.Unlock()
			select {
			case w.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		err := w.cmd.Wait()
		w.ended <- err
	}()
	t.Cleanup(func() { w.screen.Close(); reading.Wait() })
	return w
}

func (w *terminal) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.drawn.String()
}

// waitFor waits until a text was drawn.
func (w *terminal) waitFor(text string) {
	w.t.Helper()
	w.waitSince(0, text)
}

// waitSince waits until a text was drawn after so many bytes of the drawing.
func (w *terminal) waitSince(drawn int, text string) {
	w.t.Helper()
	deadline := time.After(patience)
	for !strings.Contains(w.text()[drawn:], text) {
		select {
		case <-w.more:
		case <-deadline:
			w.cmd.Process.Kill()
			w.t.Fatalf("%q was not drawn:\n%q", text, w.text()[drawn:])
		}
	}
}

// wait waits for the end of the program.
func (w *terminal) wait() {
	w.t.Helper()
	select {
	case err := <-w.ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			w.t.Fatal(err)
		}
	case <-time.After(patience):
		w.cmd.Process.Kill()
		w.t.Fatal("it does not end")
	}
}

// children are the processes the program has started.
func (w *terminal) children() []int {
	w.t.Helper()
	out, err := exec.Command("ps", "-axo", "pid=,ppid=").Output()
	if err != nil {
		w.t.Skip("needs ps:", err)
	}
	var pids []int
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.Fields(line)
		if len(f) == 2 && f[1] == strconv.Itoa(w.cmd.Process.Pid) {
			pid, err := strconv.Atoi(f[0])
			if err != nil {
				w.t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// However the workbench ends, its servers end with it and the terminal is as it
// was.
func TestEnds(t *testing.T) {
	t.Parallel()
	signal := func(s os.Signal) func(*terminal) { return func(w *terminal) { w.cmd.Process.Signal(s) } }
	key := func(k string) func(*terminal) { return func(w *terminal) { w.screen.WriteString(k) } }
	for name, end := range map[string]func(*terminal){
		"q": key("q"), "ctrl+c": key("\x03"), "SIGINT": signal(syscall.SIGINT), "SIGTERM": signal(syscall.SIGTERM), "SIGHUP": signal(syscall.SIGHUP),
		"closed terminal": func(w *terminal) { w.screen.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			w := openTerminal(t, "--theme", "dark")
			w.waitFor("3/4 servers")
			children := w.children()
			if len(children) != 3 {
				t.Fatalf("it has %d children", len(children))
			}
			end(w)
			w.wait()
			for _, pid := range children {
				if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
					t.Errorf("child %d is still there: %v", pid, err)
				}
			}
			if name == "closed terminal" {
				return
			}
			w.waitFor("\x1b[?1049l") // the screen before
			tail := w.text()[strings.LastIndex(w.text(), "\x1b[?1049h"):]
			for what, sequence := range map[string]string{"the screen before": "\x1b[?1049l", "the cursor": "\x1b[?25h", "no mouse": "\x1b[?1002l"} {
				if !strings.Contains(tail, sequence) {
					t.Errorf("the terminal does not get back %s", what)
				}
			}
		})
	}
}

// The first frame does not wait for a server that never answers, nor does the
// end.
func TestFirstFrameBeforeAnyAnswer(t *testing.T) {
	w := openTerminal(t, "--theme", "dark", "--config", write(t, "slow.yaml", `
mcp_servers:
  mute: {command: sleep, args: ["1000"]}
`))
	w.waitFor("0/1 servers")
	w.waitFor("initialize")
	w.screen.WriteString("q")
	w.wait()
}

// Secrets are in no frame, whatever is opened.
func TestSecretsStayOffTheScreen(t *testing.T) {
	w := openTerminal(t, "--theme", "none", "--config", plant(t))
	w.waitFor("4 failed")
	for _, keys := range []string{"s", "jjjjs", "1zGz", "2zjjJz", "/issue\r", "erefused\r", "5b4", ":servers\r"} {
		w.screen.WriteString(keys)
	}
	w.waitFor("Servers")
	w.screen.WriteString("s?")
	w.waitFor("Everywhere")
	w.screen.WriteString("?q")
	w.wait()
	leaks(t, "the screen", w.text())
}

// A configuration that changes on disk is read again: the new server comes, the
// other goes on.
func TestReadAgainOnChange(t *testing.T) {
	path := write(t, "live.yaml", "mcp_servers:\n  linear: {command: \"${self}\", args: [fixture, linear]}\n")
	w := openTerminal(t, "--theme", "none", "--config", path)
	w.waitFor("1/1 servers")
	children := w.children()
	if err := os.WriteFile(path, []byte("mcp_servers:\n  linear: {command: \"${self}\", args: [fixture, linear]}\n  slack: {command: \"${self}\", args: [fixture, slack]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.waitFor("2/2 servers")
	if now := w.children(); len(now) != 2 || !slices.Contains(now, children[0]) {
		t.Errorf("its children were %v and are %v", children, now)
	}
	if err := os.WriteFile(path, []byte("mcp_servers:\n\t- x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.waitFor("the configuration stays as it was")
	w.screen.WriteString("q")
	w.wait()
}

// A batch of live calls runs as planned: by the servers' own clocks those of a
// wave overlap, and the waves do not.
func TestLiveBatch(t *testing.T) {
	t.Parallel()
	w := openTerminal(t, "--theme", "none")
	w.waitFor("3/4 servers")
	for _, step := range []struct{ keys, drawn string }{
		{"5", "▸ 5 Bridged call"}, {"l", "LIVE: the next call"},
		{"4", "▸ 4 Query"}, {"/", "stop typing"}, {"mcp_github_list_issues ; mcp_github_get_issue ; mcp_linear_list_comments", "3 queries"}, {"\r", "expect a tool"}, {",,", "list_issues"},
		{"b", "queued: 1 call"}, {".b", "queued: 2 calls in 1 wave"}, {".b", "queued: 3 calls in 2 waves"},
		{"5pz", "Batch plan"}, {"r", "by the servers' own clocks"},
	} {
		w.screen.WriteString(step.keys)
		w.waitFor(step.drawn)
	}
	w.waitFor("by the servers' own clocks: 2 calls of wave 1 overlapped for")
	w.waitFor("no wave began before the one")
	w.screen.WriteString("q")
	w.wait()
}
