package mcpconn

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"toolscope/mcpconn/config"
)

// process is a child of ours with its own process group.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	exited chan struct{} // closed once the child itself has ended; its own children may live on
}

// startProcess starts a server's command. The error says what to do; it holds
// no secret but what the command's name may be.
func startProcess(server config.Server, env []string) (*process, error) {
	path, err := findCommand(server, env)
	if err != nil {
		return nil, err
	}
	// Started with a group of its own, a child in no folder fails as if it
	// were the command that is missing.
	if info, err := os.Stat(server.Dir); server.Dir != "" && (err != nil || !info.IsDir()) {
		return nil, fmt.Errorf("cwd %q is no folder: create it, or correct cwd", server.Dir)
	}
	p := &process{exited: make(chan struct{})}
	var ends []*os.File // the child's
	closeAll := func(files ...*os.File) {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
	for i, mine := range []**os.File{&p.stdin, &p.stdout, &p.stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ends...)
			closeAll(p.stdin, p.stdout, p.stderr)
			return nil, fmt.Errorf("no pipe to the server: %w", err)
		}
		if i == 0 {
			*mine, ends = w, append(ends, r)
		} else {
			*mine, ends = r, append(ends, w)
		}
	}
	p.cmd = &exec.Cmd{
		Path:   path,
		Args:   append([]string{server.Command}, server.Args...),
		Env:    env,
		Dir:    server.Dir,
		Stdin:  ends[0],
		Stdout: ends[1],
		Stderr: ends[2],
	}
	ownGroup(p.cmd)
	err = p.cmd.Start()
	closeAll(ends...)
	if err != nil {
		closeAll(p.stdin, p.stdout, p.stderr)
		return nil, startError(server, err)
	}
	return p, nil
}

// findCommand looks the command up in the PATH the child will have.
func findCommand(server config.Server, env []string) (string, error) {
	name := server.Command
	if filepath.Base(name) != name {
		return name, nil // a path, taken as it is
	}
	if path := variable(env, "PATH"); path != os.Getenv("PATH") {
		for _, dir := range filepath.SplitList(path) {
			if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(dir) {
				return found, nil
			}
		}
	} else if found, err := exec.LookPath(name); err == nil {
		return found, nil
	}
	hint := "install it, or give its full path as command"
	if strings.ContainsAny(name, " \t") {
		hint = "it holds a space: put the arguments under args"
	}
	return "", fmt.Errorf("command %q not found in PATH: %s", name, hint)
}

func startError(server config.Server, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		if errors.Is(pe.Err, fs.ErrPermission) {
			return fmt.Errorf("command %q cannot be run: %w: make it executable", server.Command, pe.Err)
		}
		return fmt.Errorf("command %q cannot be run: %w: check the path", server.Command, pe.Err)
	}
	return fmt.Errorf("command %q cannot be run: %w", server.Command, err)
}

// wait waits for the child itself and closes exited.
func (p *process) wait() {
	defer close(p.exited)
	// How it ended stands in ProcessState; the error only repeats it.
	_ = p.cmd.Wait()
}

// ending says in words how the child ended, after end.
func (p *process) ending() string {
	select {
	case <-p.exited:
	default:
		return "cannot be ended, not even by SIGKILL"
	}
	state := p.cmd.ProcessState
	if state == nil {
		return "ended in an unknown way"
	}
	if sig := endingSignal(state); sig != "" {
		return "was ended by " + sig
	}
	return fmt.Sprintf("exited with code %d", state.ExitCode())
}

// end brings the child and its whole group to their end: its stdin is closed
// already or now; it gets grace to leave by itself, then SIGTERM and grace,
// then SIGKILL. Once the child itself is gone, what is left of its group gets
// SIGTERM, until its output closes or for grace at most, then SIGKILL. output
// closes when both output pipes have come to their end.
func (p *process) end(grace time.Duration, output <-chan struct{}) {
	p.stdin.Close()
	if !within(p.exited, grace) {
		terminateGroup(p.cmd)
		if !within(p.exited, grace) {
			killGroup(p.cmd)
			within(p.exited, grace)
		}
	}
	terminateGroup(p.cmd)
	within(output, grace/4)
	killGroup(p.cmd)
	// A process that left the group may hold the pipes open for good.
	if !within(output, grace/4) {
		p.stdout.Close()
		p.stderr.Close()
	}
}

// within waits for done for at most d and reports whether it came.
func within(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// stderrLines reads a child's stderr to its end and reports it line by line,
// each line cut to max bytes.
func stderrLines(src io.Reader, max int, report func(line string)) error {
	buf := make([]byte, 32<<10)
	line := make([]byte, 0, max)
	pending := false
	flush := func() {
		if pending {
			report(strings.TrimRight(string(line), "\r"))
		}
		line, pending = line[:0], false
	}
	for {
		n, err := src.Read(buf)
		for _, c := range buf[:n] {
			if c == '\n' {
				flush()
				continue
			}
			pending = true
			if len(line) < max {
				line = append(line, c)
			}
		}
		if err != nil {
			flush()
			if errors.Is(err, io.EOF) || errors.Is(err, fs.ErrClosed) {
				return nil
			}
			return err
		}
	}
}
