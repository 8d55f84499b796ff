package config

import (
	"bytes"
	"fmt"
	"strings"
)

// block is a mapping of names to servers, wherever a program keeps its own.
type block struct {
	node *node
	at   string // the key it stands under
	line int
}

// serverBlocks finds the servers of a file by what is in it, not by its name:
// mcp_servers as in Hermes, mcpServers as in .mcp.json, Claude Desktop and
// Cursor, servers as in VS Code. Several may stand in one file.
func (l *loader) serverBlocks(root *node) []block {
	var blocks []block
	for _, key := range []string{"mcp_servers", "mcpServers", "servers"} {
		n := root.get(key)
		if n.absent() {
			continue
		}
		if key == "servers" && !looksLikeServers(n) {
			continue // some other program's key
		}
		b := block{n, key, root.lineOf(key)}
		if inner := n.get("mcpServers"); key == "mcp_servers" && inner != nil && inner.get("command") == nil && inner.get("url") == nil {
			l.warn("mcp_servers.mcpServers", n.lineOf("mcpServers"), "", "", "an mcpServers block stands inside mcp_servers: its servers are read as if they stood in mcp_servers")
			blocks = append(blocks, block{inner, "mcp_servers.mcpServers", n.lineOf("mcpServers")})
			b.node = without(n, "mcpServers")
			if len(b.node.pairs) == 0 {
				continue
			}
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// looksLikeServers reports whether a mapping is one of names to servers.
func looksLikeServers(n *node) bool {
	if n.kind != kindMap || len(n.pairs) == 0 {
		return false
	}
	for _, p := range n.pairs {
		if p.value.get("command") == nil && p.value.get("url") == nil {
			return false
		}
	}
	return true
}

// without returns a mapping less one key.
func without(n *node, key string) *node {
	out := &node{kind: n.kind, line: n.line}
	for _, p := range n.pairs {
		if p.key != key {
			out.pairs = append(out.pairs, p)
		}
	}
	return out
}

// foreign reads the keys that other programs have for what Hermes calls
// otherwise, and names those that mean nothing here.
func (l *loader) foreign(e *node, at string) *node {
	out := &node{kind: e.kind, line: e.line}
	for _, p := range e.pairs {
		switch p.key {
		case "serverUrl", "httpUrl":
			if e.get("url") == nil {
				p.key = "url"
			}
		case "disabled":
			if e.get("enabled") == nil {
				on := !l.flag(p.value, at+".disabled", false)
				p = pair{"enabled", p.line, &node{kind: kindBool, line: p.line, text: fmt.Sprint(on), value: on}}
			}
		case "autoApprove", "alwaysAllow":
			l.warn(at+"."+p.key, p.line, "", "", p.key+" is another program's list of tools that need no approval: it is not used here (trust says which servers need none)")
			continue
		case "envFile":
			l.warn(at+"."+p.key, p.line, "", "", "envFile is not read: put the variables into env, or into the .env beside this file and name them as ${NAME}")
			continue
		}
		out.pairs = append(out.pairs, p)
	}
	return out
}

// inputs names what VS Code would ask the person for.
func (l *loader) inputs(n *node) {
	if n.absent() || n.kind != kindList {
		return
	}
	for i, item := range n.items {
		id := item.get("id")
		if id == nil || !id.scalar() {
			continue
		}
		key := fmt.Sprintf("inputs[%d]", i)
		l.warn(key, item.line, "", "", fmt.Sprintf("VS Code asks for the input %q when it starts; it is not asked for here: put the value in place of ${input:%s}, or name a variable there", id.text, id.text))
	}
}

// relaxed turns JSON with comments, trailing commas and tabs, as editors write
// it, into what a YAML reader takes. Every byte stays in its place: what goes
// becomes a space. Text that does not begin with a brace is returned as it is.
func relaxed(data []byte) []byte {
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	if !bytes.HasPrefix(trimmed, []byte("{")) && !bytes.HasPrefix(trimmed, []byte("//")) && !bytes.HasPrefix(trimmed, []byte("/*")) {
		return data
	}
	out := bytes.Clone(data)
	comma := -1 // the last comma with nothing but space after it
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			i = stringEnd(out, i)
			comma = -1
			continue
		case c == '\t':
			out[i] = ' '
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blank(out, i)
			continue
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\n' && c != '\r':
			comma = -1
		}
		i++
	}
	return out
}

// stringEnd returns where the JSON string that begins at i ends.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"', '\n':
			return i + 1
		}
	}
	return len(data)
}

// blank overwrites the comment that begins at i and returns where it ends.
func blank(data []byte, i int) int {
	end := len(data)
	if data[i+1] == '/' {
		if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
			end = i + n
		}
	} else if n := bytes.Index(data[i+2:], []byte("*/")); n >= 0 {
		end = i + 2 + n + 2
	}
	for ; i < end; i++ {
		if data[i] != '\n' && data[i] != '\r' {
			data[i] = ' '
		}
	}
	return end
}

// isHermes reports whether a file is in Hermes' own shape, where its settings
// stand beside the servers.
func isHermes(root *node) bool {
	for _, key := range []string{"mcp_servers", "tools", "model", "toolscope", "hooks"} {
		if root.get(key) != nil {
			return true
		}
	}
	return false
}

// nothingUnderstood says what a file lacks that holds nothing of use.
func (l *loader) nothingUnderstood(root *node, blocks []block) {
	if root.absent() || len(blocks) > 0 || isHermes(root) {
		return
	}
	var keys []string
	for _, p := range root.pairs {
		keys = append(keys, p.key)
	}
	l.warn("", root.line, "", "", fmt.Sprintf("no servers are found in this file: none of mcp_servers, mcpServers and servers is in it (it has %s)", clip(strings.Join(keys, ", "))))
}
