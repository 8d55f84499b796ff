package mcpconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolscope/mcpconn/config"
)

// pingTimeout is how long a server gets to answer the ping that follows a
// failure in the transport.
const pingTimeout = 10 * time.Second

// Notifications go out one after the other, and nobody waits for them.
const (
	noticeTimeout = 5 * time.Second // for one
	maxNotices    = 64              // that wait; what is beyond is dropped
)

// dialHTTP attaches a connection to an HTTP endpoint. Over streamable HTTP
// nothing is sent before initialize; over HTTP+SSE the event stream is opened.
func dialHTTP(ctx context.Context, server config.Server, opts Options, redact config.Redactor, tell teller, era era) (*connection, error) {
	origin, err := url.Parse(server.URL)
	if err != nil {
		return nil, errors.New("the url is not a valid address") // the error would quote it
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxResponseHeaderBytes = 1 << 20
	if base.TLSClientConfig, err = tlsConfig(server); err != nil {
		return nil, err
	}
	c := newConnection(redact, tell)
	trip := &roundTripper{base: base, origin: origin, headers: server.Headers, grace: opts.Grace, max: opts.maxMessage}
	c.hints = trip.hints
	var oauth *transport.OAuthConfig
	if server.OAuth {
		client := &http.Client{Transport: base, Timeout: signInTimeout}
		cfg := oauthConfig(server, c.loginOf(ctx, server, opts.Logins, client), client, "")
		oauth = &cfg
	}
	wire, err := httpWire(server, &http.Client{Transport: trip, CheckRedirect: trip.redirect}, c, oauth)
	if err != nil {
		return nil, errors.New("the url is not a valid address")
	}

	ctx, cancel := context.WithCancel(ctx)
	doubts := make(chan struct{}, 1)
	c.suspect = func() {
		select {
		case doubts <- struct{}{}:
		default:
		}
	}
	trip.failed = c.suspect
	var opened time.Time // the last stream that led to a listing; the library opens one after the other
	trip.listening = func() {
		// Whatever changed while no stream was open was not told. A server that
		// ends each stream at once must not have us list for ever.
		if c.listed.Load() && (opened.IsZero() || time.Since(opened) > time.Minute) {
			opened = time.Now()
			c.relist()
		}
	}
	c.spawn("watching the server", func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-doubts:
			}
			if c.listed.Load() {
				c.ping(ctx)
			}
		}
	})
	notices := make(chan mcp.JSONRPCNotification, maxNotices)
	c.notify = func(n mcp.JSONRPCNotification) {
		select {
		case notices <- n:
		default:
		}
	}
	c.spawn("notifying the server", func() {
		for {
			select {
			case <-ctx.Done():
				return
			case n := <-notices:
				limit, done := context.WithTimeout(ctx, noticeTimeout)
				_ = c.wire.SendNotification(limit, n)
				done()
			}
		}
	})
	c.shut = func() {
		c.client.Close()
		cancel()
		base.CloseIdleConnections()
	}
	if err := c.open(ctx, wire, era); err != nil {
		reason := c.explain("opening the event stream", err)
		c.close()
		return nil, errors.New(reason)
	}
	return c, nil
}

// httpWire is the transport that a server asks for.
func httpWire(server config.Server, client *http.Client, c *connection, oauth *transport.OAuthConfig) (transport.BidirectionalInterface, error) {
	if server.Transport != config.TransportSSE {
		options := []transport.StreamableHTTPCOption{
			transport.WithHTTPBasicClient(client), transport.WithContinuousListening(), transport.WithHTTPLogger(quiet()),
		}
		if oauth != nil {
			options = append(options, transport.WithHTTPOAuth(*oauth))
		}
		return transport.NewStreamableHTTP(server.URL, options...)
	}
	options := []transport.ClientOption{
		transport.WithHTTPClient(client), transport.WithSSELogger(quiet()),
		transport.WithEndpointTimeout(server.ConnectTimeout),
		transport.WithResponseTimeout(max(server.Timeout, server.ConnectTimeout)),
	}
	if oauth != nil {
		options = append(options, transport.WithOAuth(*oauth))
	}
	stream, err := transport.NewSSE(server.URL, options...)
	if err != nil {
		return nil, err
	}
	stream.SetConnectionLostHandler(func(error) { c.lose("ended the event stream") })
	return oneWay{stream}, nil
}

// oneWay is a transport on which a server asks nothing: it is told at the
// handshake that there is nothing to ask for.
type oneWay struct{ *transport.SSE }

// SetRequestHandler does nothing.
func (oneWay) SetRequestHandler(transport.RequestHandler) {}

// ping finds out whether a server that failed in the transport is still there.
func (c *connection) ping(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, pingTimeout, errors.New("no answer to a ping"))
	defer cancel()
	_, err := c.request(ctx, "ping", struct{}{})
	var answer *AnswerError
	if err == nil || errors.As(err, &answer) || errors.Is(err, errLost) || errors.Is(err, context.Canceled) {
		return // an error is an answer too
	}
	c.lose("cannot be reached any more: " + innermost(err))
}

// roundTripper sends one connection's HTTP requests. It adds the configured
// headers where they belong, bounds what comes back and remembers what may
// explain a failure.
type roundTripper struct {
	base    http.RoundTripper
	origin  *url.URL
	headers map[string]string
	grace   time.Duration
	max     int // bytes of an answer or event

	failed    func() // the listening stream broke or could not be opened
	listening func() // the listening stream is open

	mu         sync.Mutex
	opened     bool   // the listening stream was open once
	status     int    // of the last answer, if it was no success
	redirected string // the other origin a request was redirected to
	overlong   bool   // an answer passed the bound
}

// sameOrigin reports whether a URL is of the configured scheme, host and port.
func (t *roundTripper) sameOrigin(u *url.URL) bool {
	return u.Scheme == t.origin.Scheme && strings.EqualFold(u.Host, t.origin.Host)
}

// redirect follows at most ten redirects, noting one that leads elsewhere.
func (t *roundTripper) redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	if !t.sameOrigin(req.URL) {
		t.mu.Lock()
		t.redirected = req.URL.Scheme + "://" + req.URL.Host
		t.mu.Unlock()
	}
	return nil
}

// RoundTrip sends one request. The configured headers go to the configured
// origin alone; elsewhere the request carries neither them nor the session.
func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Del("Referer") // it would carry the query, and with it a key
	if t.sameOrigin(req.URL) {
		for name, value := range t.headers {
			if strings.EqualFold(name, "host") {
				req.Host = value
				continue
			}
			req.Header.Set(name, value)
		}
	} else {
		for _, name := range []string{"Authorization", "Cookie", transport.HeaderKeySessionID} {
			req.Header.Del(name)
		}
	}
	if req.Method == http.MethodDelete {
		// The end of the session at our end; nobody waits for a server that hangs.
		ctx, cancel := context.WithTimeout(req.Context(), t.grace)
		defer cancel()
		req = req.WithContext(ctx)
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		if req.Method == http.MethodGet && req.Context().Err() == nil {
			t.failed()
		}
		return nil, err
	}
	t.note(req, resp)
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	resp.Body = &boundedBody{ReadCloser: resp.Body, events: media == "text/event-stream", max: t.max, over: t.tooLong}
	return resp, nil
}

func (t *roundTripper) tooLong() {
	t.mu.Lock()
	t.overlong = true
	t.mu.Unlock()
}

func (t *roundTripper) note(req *http.Request, resp *http.Response) {
	t.mu.Lock()
	if req.Method == http.MethodPost {
		t.status = 0
		if resp.StatusCode >= 400 {
			t.status = resp.StatusCode
		}
	}
	opened := t.opened
	if req.Method == http.MethodGet && resp.StatusCode == http.StatusOK {
		t.opened = true
	}
	t.mu.Unlock()
	switch {
	case req.Method != http.MethodGet:
	case resp.StatusCode == http.StatusOK:
		t.listening()
	case opened:
		t.failed() // it listened before: somebody else may answer there now
	}
}

// hints says what was noted, for the reason of a failure. A status of 500 and
// up stands in the error itself.
func (t *roundTripper) hints() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var hints []string
	switch {
	case t.status == 0:
	case t.status == http.StatusUnauthorized, t.status == http.StatusForbidden:
		hints = append(hints, fmt.Sprintf("HTTP %d: check the Authorization header under headers", t.status))
	case t.status == http.StatusNotFound, t.status == http.StatusMethodNotAllowed:
		hints = append(hints, fmt.Sprintf("HTTP %d: the path of the url may be wrong, or be one of the HTTP+SSE transport of 2024", t.status))
	case t.status < 500:
		hints = append(hints, fmt.Sprintf("HTTP %d %s", t.status, http.StatusText(t.status)))
	}
	if t.redirected != "" {
		hints = append(hints, fmt.Sprintf("it redirects to %s, where the configured headers are not sent: if that is right, make it the url", t.redirected))
	}
	if t.overlong {
		hints = append(hints, fmt.Sprintf("its answer is longer than the %d bytes accepted", t.max))
	}
	return strings.Join(hints, "; ")
}

// boundedBody is a body of at most max bytes: the whole of it, or, in an event
// stream, which may go on for days, each event.
type boundedBody struct {
	io.ReadCloser
	events bool
	max    int
	over   func() // told when the bound is passed
	size   int
	blank  bool // the last byte ended a line
}

// Read fails once the bound is passed, after decompression.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for _, c := range p[:n] {
		if b.size++; b.size > b.max {
			b.over()
			return 0, fmt.Errorf("the answer is longer than the %d bytes accepted", b.max)
		}
		if !b.events || c == '\r' {
			continue
		}
		if c == '\n' && b.blank {
			b.size = 0
		}
		b.blank = c == '\n'
	}
	return n, err
}
