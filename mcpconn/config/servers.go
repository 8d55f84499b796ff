package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// servers reads one block of servers.
func (l *loader) servers(b block) []Server {
	if b.node.kind != kindMap {
		l.warn(b.at, b.line, "", "", fmt.Sprintf("%s is %s where a mapping of names to servers is due: it is ignored", b.at, b.node.kind))
		return nil
	}
	servers := make([]Server, 0, len(b.node.pairs))
	for _, p := range b.node.pairs {
		servers = append(servers, l.server(b.at, p))
	}
	return servers
}

// server reads one entry. It never fails: what makes the server impossible to
// start is its Problem.
func (l *loader) server(under string, p pair) Server {
	at := under + "." + p.key
	s := Server{
		Name:           p.key,
		File:           l.name,
		Line:           p.line,
		Transport:      TransportStdio,
		Enabled:        true,
		Timeout:        DefaultTimeout,
		ConnectTimeout: DefaultConnectTimeout,
		Resources:      true,
		Prompts:        true,
	}
	if p.value.absent() || p.value.kind != kindMap {
		s.Problem = fmt.Sprintf("the entry is %s where a mapping with command or url is due (line %d)", p.value.kind, p.line)
		return s
	}
	e := l.foreign(p.value, at)
	l.unknown(e, at, serverKeys)

	s.Enabled = l.flag(e.get("enabled"), at+".enabled", true)
	s.Parallel = l.flag(e.get("supports_parallel_tool_calls"), at+".supports_parallel_tool_calls", false)
	s.Trust = strings.TrimSpace(l.text(e.get("trust"), at+".trust"))
	s.Timeout = l.seconds(e.get("timeout"), at+".timeout", DefaultTimeout)
	s.ConnectTimeout = l.seconds(e.get("connect_timeout"), at+".connect_timeout", DefaultConnectTimeout)
	l.reach(&s, e, at)
	l.filters(&s, e.get("tools"), at+".tools")
	l.unsupported(&s, e, at)
	l.traced(s.Name, e, at)
	return s
}

// traced notes where each value of an entry stands; at is where the entry does.
func (l *loader) traced(name string, e *node, at string) {
	under := "mcp_servers." + name
	for _, p := range e.pairs {
		l.via[under+"."+p.key] = l.via[at+"."+p.key]
		for i := range p.value.itemCount() {
			l.via[under+"."+p.key] = append(l.via[under+"."+p.key], l.via[fmt.Sprintf("%s.%s[%d]", at, p.key, i)]...)
		}
		l.from(under+"."+p.key, p.line)
		if p.value.absent() || p.value.kind != kindMap {
			continue
		}
		for _, below := range p.value.pairs {
			key := "." + p.key + "." + below.key
			l.via[under+key] = l.via[at+key]
			l.from(under+key, below.line)
		}
	}
}

// serverKeys are the keys of a server entry.
var serverKeys = []string{
	"command", "args", "env", "cwd", "url", "headers", "transport", "type", "timeout", "connect_timeout",
	"enabled", "supports_parallel_tool_calls", "trust", "tools", "auth", "ssl_verify", "client_cert", "client_key", "identity_header",
}

// unknown warns of every key that is not among the known ones.
func (l *loader) unknown(n *node, at string, known []string) {
	for _, p := range n.pairs {
		if !slices.Contains(known, p.key) {
			l.warn(at+"."+p.key, p.line, "", "", fmt.Sprintf("%s is not a key that is known here: it is ignored", p.key))
		}
	}
}

// reach reads how the server is reached.
func (l *loader) reach(s *Server, e *node, at string) {
	command, address := e.get("command"), e.get("url")
	if !address.absent() {
		s.Transport = TransportHTTP
		if !command.absent() {
			l.warn(at+".command", e.lineOf("command"), "", "", "command is ignored, since there is a url: Hermes takes the url too")
		}
	}
	l.transport(s, e, at)
	if s.Transport == TransportStdio {
		l.stdio(s, e, at)
	} else {
		l.http(s, e, at)
	}
}

// transport reads the transport named, if any. Other programs call it type.
func (l *loader) transport(s *Server, e *node, at string) {
	key := "transport"
	if e.get(key).absent() {
		key = "type"
	}
	n := e.get(key)
	if n.absent() {
		return
	}
	word := strings.ToLower(strings.TrimSpace(l.text(n, at+"."+key)))
	switch word {
	case "stdio":
		if s.Transport == TransportHTTP {
			l.warn(at+"."+key, e.lineOf(key), word, "http", "there is a url, so the server is reached over HTTP and not over stdio")
		}
	case "http", "streamable_http", "streamable-http", "streamablehttp":
		if e.get("url").absent() {
			s.Problem = fmt.Sprintf("%s is %s but there is no url: add one (line %d)", key, word, e.lineOf(key))
		}
		s.Transport = TransportHTTP
	case "sse":
		if e.get("url").absent() {
			s.Problem = fmt.Sprintf("%s is sse but there is no url: add one (line %d)", key, e.lineOf(key))
		}
		s.Transport = TransportSSE
	default:
		s.Problem = fmt.Sprintf("%s is none of stdio, http and sse (line %d)", key, e.lineOf(key))
	}
}

func (l *loader) stdio(s *Server, e *node, at string) {
	if n := e.get("headers"); !n.absent() {
		l.warn(at+".headers", e.lineOf("headers"), "", "", "headers are ignored: the server is reached over stdio")
	}
	s.Command = strings.TrimSpace(l.expand(l.text(e.get("command"), at+".command"), at+".command", e.lineOf("command")).text)
	if s.Command == "" && s.Problem == "" {
		s.Problem = fmt.Sprintf("there is neither command nor url: add one (line %d)", s.Line)
	}
	l.args(s, e.get("args"), at+".args")
	s.Env = l.pairs(e.get("env"), at+".env")
	s.Dir = l.expand(l.text(e.get("cwd"), at+".cwd"), at+".cwd", e.lineOf("cwd")).text
}

// args reads the arguments. One string in place of the list is split at white
// space, as its writer meant it.
func (l *loader) args(s *Server, n *node, at string) {
	items := l.texts(n, at)
	if n != nil && n.kind == kindString {
		items = nil
		for _, word := range strings.Fields(n.text) {
			items = append(items, located{word, n.line})
		}
		l.warn(at, n.line, "", "", fmt.Sprintf("args is one string where a list is due: it is split at white space into %d", len(items)))
	}
	for i, item := range items {
		arg := l.expand(item.text, fmt.Sprintf("%s[%d]", at, i), item.line)
		s.Args = append(s.Args, arg.text)
		s.secrets = append(s.secrets, arg.values...)
		if flag, value, ok := strings.Cut(arg.text, "="); ok && strings.HasPrefix(flag, "-") && secretFlag(flag) {
			s.secrets = append(s.secrets, value)
		}
		if i > 0 && secretFlag(s.Args[i-1]) && !strings.HasPrefix(arg.text, "-") {
			s.secrets = append(s.secrets, arg.text)
		}
	}
}

func (l *loader) http(s *Server, e *node, at string) {
	for _, key := range []string{"args", "env", "cwd"} {
		if n := e.get(key); !n.absent() {
			l.warn(at+"."+key, e.lineOf(key), "", "", fmt.Sprintf("%s is ignored: the server is reached over HTTP", key))
		}
	}
	address := l.expand(l.text(e.get("url"), at+".url"), at+".url", e.lineOf("url"))
	s.URL = strings.TrimSpace(address.text)
	s.secrets = address.values
	s.Headers = l.pairs(e.get("headers"), at+".headers")
	l.identity(s, e.get("identity_header"), at+".identity_header")
	l.certificates(s, e, at)
	if s.Problem != "" {
		return
	}
	// The parser's error would quote the URL, secrets and all.
	u, err := url.Parse(s.URL)
	switch {
	case err != nil:
		s.Problem = fmt.Sprintf("url is not a valid address (line %d)", e.lineOf("url"))
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		s.Problem = fmt.Sprintf("url must start with http:// or https:// and name a host (line %d)", e.lineOf("url"))
	}
}

// identity reads identity_header: a header of a fixed value, as {name, value} or
// as "Name: value".
func (l *loader) identity(s *Server, n *node, at string) {
	if n.absent() {
		return
	}
	name, value := "", ""
	switch {
	case n.kind == kindMap:
		name, value = l.text(n.get("name"), at+".name"), l.text(n.get("value"), at+".value")
	case n.scalar():
		name, value, _ = strings.Cut(n.text, ":")
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(l.expand(value, at, n.line).text)
	if name == "" || value == "" {
		l.warn(at, n.line, "", "", "identity_header needs a fixed name and value, as {name: X-User, value: me}: it is ignored")
		return
	}
	if s.Headers == nil {
		s.Headers = map[string]string{}
	}
	s.Headers[name] = value
}

// certificates reads ssl_verify (true, false, or a file of authorities) and
// client_cert in its three shapes: a file with certificate and key, a
// certificate beside client_key, and a list of the two.
func (l *loader) certificates(s *Server, e *node, at string) {
	path := func(n *node, key string) string {
		return l.expand(strings.TrimSpace(l.text(n, key)), key, n.line).text
	}
	if n := e.get("ssl_verify"); !n.absent() {
		if n.kind == kindString && !isFlag(n.text) {
			s.CAFile = path(n, at+".ssl_verify")
		} else {
			s.SkipVerify = !l.flag(n, at+".ssl_verify", true)
		}
		if s.SkipVerify {
			l.warn(at+".ssl_verify", n.line, "false", "false", "ssl_verify is false: anyone between here and the server can read and change what is sent, the headers included")
		}
	}
	cert, key := e.get("client_cert"), e.get("client_key")
	switch {
	case cert.absent():
		if !key.absent() {
			l.warn(at+".client_key", key.line, "", "", "client_key is ignored: there is no client_cert")
		}
	case cert.kind == kindList:
		files := l.texts(cert, at+".client_cert")
		if len(files) != 2 {
			l.warn(at+".client_cert", cert.line, "", "", fmt.Sprintf("client_cert is a list of %d where certificate and key are due: it is ignored", len(files)))
			return
		}
		s.ClientCert = l.expand(files[0].text, at+".client_cert", files[0].line).text
		s.ClientKey = l.expand(files[1].text, at+".client_cert", files[1].line).text
	default:
		s.ClientCert = path(cert, at+".client_cert")
		if !key.absent() {
			s.ClientKey = path(key, at+".client_key")
		}
	}
}

// pairs reads a mapping of strings. A list of NAME=value strings, as other
// programs write env, is understood too.
func (l *loader) pairs(n *node, at string) map[string]string {
	if n.absent() {
		return nil
	}
	out := map[string]string{}
	switch n.kind {
	case kindMap:
		for _, p := range n.pairs {
			key := at + "." + p.key
			if p.value.absent() {
				l.warn(key, p.line, "", "", key+" has no value: it is left out")
				continue
			}
			if p.value.scalar() {
				out[p.key] = l.expand(l.text(p.value, key), key, p.line).text
				continue
			}
			l.text(p.value, key)
		}
	case kindList:
		l.warn(at, n.line, "", "", at+" is a list where a mapping is due: its NAME=value items are used")
		for i, item := range l.texts(n, at) {
			name, value, ok := strings.Cut(item.text, "=")
			if !ok || name == "" {
				l.warn(fmt.Sprintf("%s[%d]", at, i), item.line, "", "", "the item is no NAME=value: it is left out")
				continue
			}
			out[name] = l.expand(value, at+"."+name, item.line).text
		}
	default:
		l.warn(at, n.line, "", "", fmt.Sprintf("%s is %s where a mapping is due: it is ignored", at, n.kind))
		return nil
	}
	return out
}

// filters reads tools.include and tools.exclude.
func (l *loader) filters(s *Server, n *node, at string) {
	if n.absent() {
		return
	}
	if n.kind != kindMap {
		l.warn(at, n.line, "", "", fmt.Sprintf("tools is %s where a mapping with include or exclude is due: it is ignored", n.kind))
		return
	}
	l.unknown(n, at, []string{"include", "exclude", "resources", "prompts"})
	s.Include = l.names(n.get("include"), at+".include")
	s.Exclude = l.names(n.get("exclude"), at+".exclude")
	if len(s.Include) > 0 && len(s.Exclude) > 0 {
		l.warn(at+".exclude", n.lineOf("exclude"), "", "", "exclude is ignored, since there is an include, which wins")
	}
	s.Resources = l.flag(n.get("resources"), at+".resources", true)
	s.Prompts = l.flag(n.get("prompts"), at+".prompts", true)
}

// unsupported names what the entry asks for and does not get.
func (l *loader) unsupported(s *Server, e *node, at string) {
	auth := strings.ToLower(strings.TrimSpace(l.text(e.get("auth"), at+".auth")))
	if auth == "oauth" && s.Transport != TransportStdio {
		s.OAuth = true
		return
	}
	if auth != "" && auth != "none" && s.Problem == "" {
		s.Problem = fmt.Sprintf("auth: %s is not supported: put the token into headers, as Authorization: Bearer …, or use auth: oauth with a url (line %d)", clip(auth), e.lineOf("auth"))
	}
}

// clip shortens a word from the file for a message.
func clip(s string) string {
	if r := []rune(s); len(r) > 20 {
		return string(r[:20]) + "…"
	}
	return s
}
