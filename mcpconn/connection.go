package mcpconn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolscope/mcpconn/config"
)

// errLost says that the other side is gone; the connection's end says how.
var errLost = errors.New("the connection was lost")

// connection is one live connection to one server. Its transport does the
// rest: see dialStdio and dialHTTP.
type connection struct {
	client  *client.Client
	modern  string // the version of the protocol without a handshake, where that was agreed on; "" otherwise
	self    mcp.Implementation
	wire    transport.BidirectionalInterface
	changed chan struct{}     // holds one: the server said that its tools changed
	log     func(line string) // a line for the log
	trace   func(line string) // a message of the protocol
	redact  config.Redactor
	pid     int

	ids    atomic.Int64
	listed atomic.Bool // the first tools/list has been sent

	followers followers                         // calls that asked for their progress
	utilities atomic.Pointer[map[string]string] // utility tools of the last listing, by name: their methods

	lost     chan struct{} // closed when the other side is gone
	lostOnce sync.Once
	ending   string // how; to be read after lost

	work sync.WaitGroup // the connection's goroutines

	// hints returns what the transport knows that may explain a failure, ""
	// if nothing.
	hints func() string
	// suspect is told of a call that failed in the transport.
	suspect func()
	// notify sends a notification, best effort, and does not block.
	notify func(mcp.JSONRPCNotification)
	// shut ends the transport for good and everything it started.
	shut func()
}

// firstID is the id of the first request sent past the client library, whose
// own ids count from 1.
const firstID = 1000

// teller is where a connection tells what it sees, line by line: what a server
// writes beside the protocol, and the protocol's messages.
type teller struct{ log, trace func(line string) }

func newConnection(redact config.Redactor, tell teller) *connection {
	c := &connection{
		changed: make(chan struct{}, 1),
		lost:    make(chan struct{}),
		log:     tell.log,
		trace:   tell.trace,
		redact:  redact,
		hints:   func() string { return "" },
		suspect: func() {},
		notify:  func(mcp.JSONRPCNotification) {},
	}
	c.ids.Store(firstID - 1)
	return c
}

// quiet is where the client library logs to. Its default is the screen.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// lose marks the other side as gone. Only the first reason counts.
func (c *connection) lose(ending string) {
	c.lostOnce.Do(func() {
		c.ending = ending
		close(c.lost)
	})
}

// spawn runs a goroutine of the connection. A panic in it loses the
// connection and nothing more.
func (c *connection) spawn(what string, run func()) {
	c.work.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				c.lose(fmt.Sprintf("%s failed in toolscope itself: %v", what, r))
			}
		}()
		run()
	})
}

// open starts the client over the transport. ctx must last as long as the
// connection. era says which handshake is tried.
func (c *connection) open(ctx context.Context, wire transport.BidirectionalInterface, era era) error {
	c.wire = wire
	var options []client.ClientOption
	if era == classic {
		options = append(options, client.WithLegacyProtocolOnly())
	}
	c.client = client.NewClient(wire, options...)
	c.client.OnNotification(c.notified)
	if err := c.client.Start(ctx); err != nil {
		return err
	}
	// In place of the client's own handler, which knows no recover.
	wire.SetRequestHandler(c.asked)
	return nil
}

// notified takes a notification. It runs inside the transport's reader, so it
// may neither block nor send anything.
func (c *connection) notified(n mcp.JSONRPCNotification) {
	defer func() {
		if r := recover(); r != nil {
			c.log(fmt.Sprintf("a notification could not be read: %v", r))
		}
	}()
	c.trace("← " + n.Method + " " + asJSON(n.Params.AdditionalFields))
	switch n.Method {
	case string(mcp.MethodNotificationToolsListChanged):
		c.relist()
	case "notifications/message":
		c.log(logMessage(n.Params.AdditionalFields))
	case string(mcp.MethodNotificationProgress):
		c.followers.tell(n.Params.AdditionalFields, c.redact)
	}
}

// relist asks for the tools to be listed again.
func (c *connection) relist() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// logMessage writes a log notification as one line.
func logMessage(fields map[string]any) string {
	level, _ := fields["level"].(string)
	data, isText := fields["data"].(string)
	if !isText {
		if raw, err := json.Marshal(fields["data"]); err == nil {
			data = string(raw)
		}
	}
	if logger, _ := fields["logger"].(string); logger != "" {
		data = logger + ": " + data
	}
	if level == "" {
		return data
	}
	return level + ": " + data
}

// asked answers a request of the server's. There is nobody to sample a model
// or to fill in a form, and no folder is offered.
func (c *connection) asked(_ context.Context, request transport.JSONRPCRequest) (response *transport.JSONRPCResponse, err error) {
	defer func() {
		if r := recover(); r != nil {
			response = transport.NewJSONRPCErrorResponse(request.ID, mcp.INTERNAL_ERROR, "the request could not be read", nil)
		}
	}()
	c.trace("← asks " + request.Method + " " + asJSON(request.Params))
	switch request.Method {
	case string(mcp.MethodPing):
		return transport.NewJSONRPCResultResponse(request.ID, json.RawMessage(`{}`)), nil
	case string(mcp.MethodListRoots):
		c.log("asked for the roots (roots/list): there are none")
		return transport.NewJSONRPCResultResponse(request.ID, json.RawMessage(`{"roots":[]}`)), nil
	case string(mcp.MethodElicitationCreate):
		c.log("asked the person for input (elicitation/create): declined")
		return transport.NewJSONRPCResultResponse(request.ID, json.RawMessage(`{"action":"decline"}`)), nil
	case string(mcp.MethodSamplingCreateMessage):
		c.log("asked for a model's answer (sampling/createMessage): refused, there is no model here")
		return transport.NewJSONRPCErrorResponse(request.ID, -1, "toolscope has no model to sample from", nil), nil
	default:
		c.log(fmt.Sprintf("asked for %s: refused, it is not known here", request.Method))
		return transport.NewJSONRPCErrorResponse(request.ID, mcp.METHOD_NOT_FOUND, "toolscope does not know this method", nil), nil
	}
}

// initialize does the handshake.
func (c *connection) initialize(ctx context.Context, opts Options) (ServerInfo, error) {
	start := time.Now()
	c.self = mcp.Implementation{Name: opts.ClientName, Version: opts.ClientVersion}
	c.trace("→ initialize")
	result, err := c.client.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{ClientInfo: c.self}})
	if err != nil {
		c.trace("← initialize: " + err.Error())
		return ServerInfo{}, c.settle(ctx, err)
	}
	c.trace("← initialize " + asJSON(result))
	if mcp.IsModernProtocol(result.ProtocolVersion) {
		c.modern = result.ProtocolVersion
	}
	return ServerInfo{
		Name:     c.redact.Redact(result.ServerInfo.Name),
		Version:  c.redact.Redact(result.ServerInfo.Version),
		Protocol: result.ProtocolVersion,
		Offers:   offers(result.Capabilities),
		PID:      c.pid,
		Init:     time.Since(start),
	}, nil
}

// request sends one request and returns its result as it came. An error answer
// is an [*AnswerError]. What is given up before its answer is cancelled at the
// server too.
func (c *connection) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // nothing is sent, so there is nothing to cancel
	}
	id := c.ids.Add(1)
	params, header := c.dressed(method, params)
	c.trace(fmt.Sprintf("→ #%d %s %s", id, method, asJSON(params)))
	response, err := c.wire.SendRequest(ctx, transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION,
		ID:      mcp.NewRequestId(id),
		Method:  method,
		Params:  params,
		Header:  header,
	})
	if err != nil {
		if ctx.Err() != nil {
			c.cancelled(id, ctx.Err())
		}
		c.trace(fmt.Sprintf("← #%d no answer: %v", id, err))
		return nil, c.settle(ctx, err)
	}
	if response.Error != nil {
		c.trace(fmt.Sprintf("← #%d error %d: %s", id, response.Error.Code, response.Error.Message))
		return nil, &AnswerError{Code: response.Error.Code, Message: c.redact.Redact(response.Error.Message)}
	}
	c.trace(fmt.Sprintf("← #%d %s", id, firstOf(response.Result)))
	if len(response.Result) == 0 {
		return nil, errors.New("the answer holds neither a result nor an error")
	}
	return response.Result, nil
}

// cancelled tells the server not to work on a request any more. In the classic
// protocol the end of a request's stream does not say so.
func (c *connection) cancelled(id int64, cause error) {
	c.notify(mcp.JSONRPCNotification{
		JSONRPC: mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{
			Method: string(mcp.MethodNotificationCancelled),
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": id, "reason": cause.Error()}},
		},
	})
}

// settle finds the error behind an error: a request that fails because the
// other side is going waits for how it went.
func (c *connection) settle(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errStdinFull):
		c.lose("does not read its input")
	case errors.Is(err, transport.ErrTransportClosed), errors.Is(err, io.ErrClosedPipe):
		select {
		case <-c.lost:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case errors.Is(err, transport.ErrSessionTerminated):
		c.lose("ended the session (404): retry to start a new one")
	default:
		c.suspect()
		return err
	}
	return errLost
}

// close ends the connection and everything it started, and waits for it.
func (c *connection) close() {
	c.shut()
	c.work.Wait()
}
