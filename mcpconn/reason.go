package mcpconn

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// AnswerError is an error that a server answered with: a JSON-RPC error.
type AnswerError struct {
	Code    int
	Message string // the server's text, secrets masked; hostile until displayed
}

// Error says code and message, as the server gave them.
func (e *AnswerError) Error() string {
	return fmt.Sprintf("the server answered error %d: %s", e.Code, excerpt(e.Message))
}

// explain says what went wrong in which phase, what was found and what to do.
// Text that is cut has its secrets masked before, so that none is cut in two;
// the rest is for the caller to mask.
func (c *connection) explain(phase string, err error) string {
	reason := c.cause(err)
	if phase != "" {
		reason = phase + ": " + reason
	}
	if hint := c.hints(); hint != "" {
		reason += "; " + excerpt(c.redact.Redact(hint))
	}
	return reason
}

func (c *connection) cause(err error) string {
	var unknown mcp.UnsupportedProtocolVersionError
	var slow connectDeadline
	var network *net.OpError
	var failed *transport.Error
	var answer *AnswerError
	switch {
	case errors.Is(err, errLost):
		return "the server " + c.ending
	case errors.As(err, &slow):
		return slow.Error() + ": raise connect_timeout if it is only slow"
	case errors.As(err, &unknown) && unknown.Version != "":
		return fmt.Sprintf("the server speaks protocol version %q, which is not known (the latest known is %s)", excerpt(c.redact.Redact(unknown.Version)), mcp.LATEST_LEGACY_PROTOCOL_VERSION)
	case errors.Is(err, transport.ErrAuthorizationRequired):
		return "the server asks for authorization"
	case errors.Is(err, transport.ErrLegacySSEServer):
		return "the server refuses the handshake"
	case errors.As(err, &network) && network.Op == "dial":
		return "cannot connect: " + innermost(err) + ": check that the server runs and that the url is right"
	case errors.As(err, &answer):
		return answer.Error()
	case errors.As(err, &failed):
		return excerpt(c.redact.Redact(innermost(failed.Err)))
	default:
		return excerpt(c.redact.Redact(innermost(err)))
	}
}

// innermost drops what the layers of an HTTP client put around an error.
func innermost(err error) string {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err.Error()
	}
	return err.Error()
}

// excerpt cuts a server's text for use inside a reason: one line, not long.
func excerpt(s string) string {
	// A field at most maxExcerpt characters in cannot begin later than this.
	if len(s) > 64*maxExcerpt {
		s = s[:64*maxExcerpt]
	}
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for i := range s {
		if n == maxExcerpt {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
