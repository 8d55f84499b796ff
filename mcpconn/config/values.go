package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// text reads a single string. A number or boolean is taken as it stands in the
// file, with a warning, since Hermes refuses it there.
func (l *loader) text(n *node, key string) string {
	switch {
	case n.absent():
		return ""
	case n.kind == kindString:
		return n.text
	case n.scalar():
		l.warn(key, n.line, "", "", fmt.Sprintf("%s is %s where a string is due: it is read as the text it stands as; put it in quotes", key, n.kind))
		return n.text
	default:
		l.warn(key, n.line, "", "", fmt.Sprintf("%s is %s where a string is due: it is ignored", key, n.kind))
		return ""
	}
}

// texts reads a list of strings; each item keeps its line.
func (l *loader) texts(n *node, key string) []located {
	switch {
	case n.absent():
		return nil
	case n.scalar():
		return []located{{l.text(n, key), n.line}}
	case n.kind != kindList:
		l.warn(key, n.line, "", "", fmt.Sprintf("%s is %s where a list is due: it is ignored", key, n.kind))
		return nil
	}
	list := make([]located, 0, len(n.items))
	for i, item := range n.items {
		at := fmt.Sprintf("%s[%d]", key, i)
		if item.absent() {
			l.warn(at, item.line, "", "", at+" is empty: it is left out")
			continue
		}
		if !item.scalar() {
			l.text(item, at)
			continue
		}
		list = append(list, located{l.text(item, at), item.line})
	}
	return list
}

// located is a string and the line it stands on.
type located struct {
	text string
	line int
}

// names is texts for names, where a bare string is a list of one.
func (l *loader) names(n *node, key string) []string {
	var names []string
	for _, item := range l.texts(n, key) {
		if name := strings.TrimSpace(item.text); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// flag reads a boolean, YAML 1.1's words for it included, since Hermes' YAML
// reader takes those.
func (l *loader) flag(n *node, key string, otherwise bool) bool {
	if n.absent() {
		return otherwise
	}
	if b, ok := n.value.(bool); ok {
		return b
	}
	switch strings.ToLower(strings.TrimSpace(n.text)) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0":
		return false
	}
	l.warn(key, n.line, "", strconv.FormatBool(otherwise), fmt.Sprintf("%s is neither true nor false: %t is used", key, otherwise))
	return otherwise
}

// isFlag reports whether a text is one of the words that flag knows.
func isFlag(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "on", "1", "false", "no", "off", "0":
		return true
	}
	return false
}

// number reads a number, in quotes or not. ok is false where there is none;
// the caller warns.
func (n *node) number() (float64, bool) {
	if n == nil {
		return 0, false
	}
	var f float64
	switch v := n.value.(type) {
	case int64:
		f = float64(v)
	case uint64:
		f = float64(v)
	case float64:
		f = v
	case string:
		parsed, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil {
			return 0, false
		}
		f = parsed
	default:
		return 0, false
	}
	return f, !math.IsNaN(f)
}

// maxSeconds bounds a time limit: a day.
const maxSeconds = 24 * 60 * 60

// seconds reads a time limit in seconds.
func (l *loader) seconds(n *node, key string, otherwise time.Duration) time.Duration {
	if n.absent() {
		return otherwise
	}
	f, ok := n.number()
	if !ok {
		d, err := time.ParseDuration(strings.TrimSpace(n.text))
		if err != nil || d <= 0 || !n.scalar() {
			l.warn(key, n.line, "", otherwise.String(), fmt.Sprintf("%s is no number of seconds: %s is used", key, otherwise))
			return otherwise
		}
		l.warn(key, n.line, n.text, d.String(), fmt.Sprintf("%s is given with a unit where plain seconds are due: %s is used", key, d))
		return d
	}
	switch {
	case f <= 0:
		l.warn(key, n.line, n.text, otherwise.String(), fmt.Sprintf("%s must be more than 0 seconds: %s is used", key, otherwise))
		return otherwise
	case f > maxSeconds:
		l.warn(key, n.line, n.text, "24h0m0s", fmt.Sprintf("%s is more than a day: 24h is used", key))
		return maxSeconds * time.Second
	}
	return time.Duration(f * float64(time.Second))
}
