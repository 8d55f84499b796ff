package mcpconn

import "encoding/json"

// idScanner finds the id of a JSON-RPC message that is too long to keep or too
// deep to decode, so that the request it answers can be failed at once rather
// than time out. It keeps a few bytes, whatever is fed to it.
type idScanner struct {
	depth    int
	inString bool
	escaped  bool
	atKey    bool   // at depth 1 the next string is a key
	token    []byte // the key or scalar being read at depth 1
	key      string
	id       string // the id's JSON, "" until found
	method   bool   // the message has a method, so it is no answer
}

// maxToken bounds the keys and ids that are kept, in bytes.
const maxToken = 64

func (s *idScanner) feed(data []byte) {
	for _, c := range data {
		s.step(c)
	}
}

func (s *idScanner) step(c byte) {
	if s.inString {
		s.keep(c)
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.inString = false
			if s.depth == 1 && s.atKey {
				s.key, s.atKey = string(s.token), false
				s.token = s.token[:0]
				s.method = s.method || s.key == `"method"`
			}
		}
		return
	}
	switch c {
	case '"':
		s.inString = true
		s.keep(c)
	case '{', '[':
		s.depth++
		if s.depth == 1 {
			s.atKey = c == '{'
		}
	case '}', ']':
		s.value()
		s.depth--
	case ',':
		if s.depth == 1 {
			s.value()
			s.atKey = true
		}
	case ':', ' ', '\t', '\r', '\n':
	default:
		s.keep(c)
	}
}

// keep adds a byte to the key or scalar at the top level.
func (s *idScanner) keep(c byte) {
	if s.depth == 1 && len(s.token) < maxToken {
		s.token = append(s.token, c)
	}
}

// value ends a value at the top level.
func (s *idScanner) value() {
	if s.depth != 1 {
		return
	}
	if s.key == `"id"` && len(s.token) > 0 && len(s.token) < maxToken {
		s.id = string(s.token)
	}
	s.token, s.key = s.token[:0], ""
}

// answered returns the id of the request that the message answers, if it is
// an answer and has one.
func (s *idScanner) answered() (id string, ok bool) {
	return s.id, s.id != "null" && !s.method && json.Valid([]byte(s.id))
}
