package mcpconn

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolscope/mcpconn/config"
)

// dialStdio starts a server as a child process and attaches a connection to
// its pipes. The log gets its stderr and whatever else it writes beside
// the protocol, secrets included.
func dialStdio(ctx context.Context, server config.Server, opts Options, redact config.Redactor, tell teller, era era) (*connection, error) {
	proc, err := startProcess(server, childEnv(opts.Environ, server.Env))
	if err != nil {
		return nil, err
	}
	c := newConnection(redact, tell)
	c.pid = proc.cmd.Process.Pid
	last := &lastWords{}
	c.hints = last.get

	in := newStdin()
	pr, pw := io.Pipe()
	var outputs sync.WaitGroup
	outputs.Add(2)
	output := make(chan struct{}) // both pipes have come to their end
	silent := make(chan struct{}) // stdout has come to its end
	stop := make(chan struct{})   // shut was called
	over := make(chan struct{})   // nothing of the child is left

	c.spawn("waiting for the process", proc.wait)
	c.spawn("writing to the server", func() { in.run(proc.stdin) })
	c.spawn("reading the server's output", func() {
		defer outputs.Done()
		defer close(silent)
		defer pw.Close()
		reader := lineReader{
			max: opts.maxMessage, keep: maxLine + redact.Longest(),
			noise: func(line string) { tell.log("stdout: " + line) },
			flood: func(line string) {
				c.lose("writes to its standard output what is no MCP message, without end, such as: " + excerpt(redact.Redact(line)))
			},
		}
		if err := reader.copy(pw, proc.stdout); err != nil {
			tell.log("stdout cannot be read further: " + err.Error())
		}
	})
	c.spawn("reading the server's stderr", func() {
		defer outputs.Done()
		report := func(line string) {
			last.set(line)
			tell.log(line)
		}
		if err := stderrLines(proc.stderr, maxLine+redact.Longest(), report); err != nil {
			tell.log("stderr cannot be read further: " + err.Error())
		}
	})
	c.spawn("waiting for the output", func() {
		outputs.Wait()
		close(output)
	})
	// The end of the child, whoever began it.
	c.spawn("ending the process", func() {
		defer close(over)
		ending := ""
		select {
		case <-proc.exited:
		case <-silent:
			if !within(proc.exited, opts.Grace/4) {
				ending = "closed its stdout, so it cannot answer any more"
			}
		case <-stop:
		}
		in.Close()
		proc.end(opts.Grace, output)
		if ending == "" {
			ending = proc.ending()
		}
		c.lose(ending)
	})

	c.notify = func(n mcp.JSONRPCNotification) {
		// It does not block: the child's input is queued. What is sent while the
		// session ends still reaches the child.
		_ = c.wire.SendNotification(context.Background(), n)
	}

	var once sync.Once
	c.shut = func() {
		once.Do(func() { close(stop) })
		// The library's reader may be gone or blocked; ours reads on without it.
		pr.CloseWithError(io.ErrClosedPipe)
		c.client.Close()
		<-over
	}

	wire := transport.NewIO(pr, in, nil)
	transport.WithCommandLogger(quiet())(wire)
	if err := c.open(ctx, wire, era); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// lastWords keeps the last line of stderr that says something.
type lastWords struct {
	mu   sync.Mutex
	line string
}

func (w *lastWords) set(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	w.mu.Lock()
	w.line = line
	w.mu.Unlock()
}

func (w *lastWords) get() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.line == "" {
		return ""
	}
	return "its last words: " + strings.TrimSpace(w.line)
}

// connectDeadline is the cause of a connect_timeout.
type connectDeadline struct{ after time.Duration }

func (d connectDeadline) Error() string {
	return "no answer within " + config.Seconds(d.after) + " (connect_timeout)"
}
