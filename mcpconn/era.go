package mcpconn

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// era is which of the protocol's ways to begin is tried.
type era int

// The eras: the classic handshake comes first, as in Hermes; the modern way,
// which has none, where a server refuses it.
const (
	classic era = iota
	modern
)

// refusesClassic reports whether a server does not know the classic handshake.
func refusesClassic(err error) bool {
	var unsupported mcp.UnsupportedProtocolVersionError
	return errors.Is(err, mcp.ErrMethodNotFound) || errors.As(err, &unsupported)
}

// dressed adds to a request what every one must say for itself in the modern
// protocol: version and client in _meta, method and name in headers. In the
// classic one it changes nothing.
func (c *connection) dressed(method string, params any) (any, http.Header) {
	if c.modern == "" {
		return params, nil
	}
	fields := map[string]json.RawMessage{}
	if raw, err := json.Marshal(params); err != nil || json.Unmarshal(raw, &fields) != nil {
		return params, nil
	}
	meta := map[string]any{}
	if raw, ok := fields["_meta"]; ok && json.Unmarshal(raw, &meta) != nil {
		return params, nil
	}
	meta[mcp.MetaKeyProtocolVersion] = c.modern
	meta[mcp.MetaKeyClientCapabilities] = struct{}{}
	meta[mcp.MetaKeyClientInfo] = c.self
	raw, err := json.Marshal(meta)
	if err != nil {
		return params, nil
	}
	fields["_meta"] = raw
	encoded, err := json.Marshal(fields)
	if err != nil {
		return params, nil
	}
	header := http.Header{}
	for name, value := range mcp.StandardHeaders(c.modern, mcp.MCPMethod(method), encoded) {
		header.Set(name, value)
	}
	return fields, header
}
