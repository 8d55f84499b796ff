package mcpconn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// envelope is the outside of a JSON-RPC message.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// frames turns one line of a server's stdout into messages that the client
// library reads: a batch is taken apart, an id sent back as a string is the
// number it was, an error of any shape is one with a code, and an answer that is
// too deep to decode, or holds nothing, becomes an error for the request it
// answers. A line that
// holds no message is noise: ok is false.
func frames(line []byte) (messages [][]byte, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil, true
	}
	switch line[0] {
	case '{':
		message, ok := frame(line)
		if !ok {
			return nil, false
		}
		return [][]byte{message}, true
	case '[':
		var batch []json.RawMessage
		if json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
			return nil, false
		}
		for _, raw := range batch {
			if message, ok := frame(raw); ok {
				messages = append(messages, message)
			}
		}
		return messages, len(messages) > 0
	default:
		return nil, false
	}
}

func frame(raw []byte) (message []byte, ok bool) {
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		if json.Valid(raw) {
			return nil, false // JSON, but not of this shape
		}
		// Either no JSON, or JSON nested deeper than the decoder goes.
		var s idScanner
		s.feed(raw)
		if id, ok := s.answered(); ok && s.depth == 0 && bytes.Contains(raw, []byte(`"jsonrpc"`)) {
			return failure(id, "the answer cannot be decoded: "+err.Error()), true
		}
		return nil, false
	}
	switch {
	case e.JSONRPC == "":
		return nil, false
	case e.Method != "":
		return compact(raw), true // a request or a notification
	case len(e.ID) == 0, string(e.ID) == "null":
		return nil, false // it answers nothing, and is told as noise
	case len(e.Error) > 0 && string(e.Error) != "null":
		e.Error = errorObject(e.Error)
		e.Result = nil
	case len(e.Result) == 0:
		return failure(string(e.ID), "the answer holds neither a result nor an error"), true
	default:
		e.Error = nil
	}
	e.ID = numeric(e.ID)
	message, err := json.Marshal(e)
	if err != nil {
		return nil, false
	}
	return message, true
}

// compact takes the line breaks out of a message, which would cut it in two.
func compact(raw []byte) []byte {
	if !bytes.ContainsAny(raw, "\r\n") {
		return raw
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}

// numeric returns the id as the number we sent, where the server sent it back
// as a string. Ours are all numbers.
func numeric(id json.RawMessage) json.RawMessage {
	var s string
	if json.Unmarshal(id, &s) != nil {
		return id
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return json.RawMessage(strconv.FormatInt(n, 10))
	}
	return id
}

// errorObject returns an error as JSON-RPC has it. One of another shape keeps
// its text as the message.
func errorObject(raw json.RawMessage) json.RawMessage {
	var e mcp.JSONRPCErrorDetails
	if json.Unmarshal(raw, &e) == nil {
		return raw
	}
	var loose struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &loose) != nil || loose.Message == "" {
		loose.Message = string(raw)
	}
	out, err := json.Marshal(mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: loose.Message})
	if err != nil {
		return json.RawMessage(`{"code":-32603,"message":"an error of an unknown shape"}`)
	}
	return out
}

// failure is an error answer we give in a server's place.
func failure(id, message string) []byte {
	text, err := json.Marshal(message)
	if err != nil {
		text = []byte(`"the answer cannot be read"`)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, numeric(json.RawMessage(id)), mcp.PARSE_ERROR, text)
}
