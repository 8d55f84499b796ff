package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/shlex"
)

// HookEvent is when a hook runs.
type HookEvent string

// The events that hooks of calls have.
const (
	HookPre  HookEvent = "pre_tool_call"
	HookPost HookEvent = "post_tool_call"
)

// The time limits of a hook.
const (
	DefaultHookTimeout = 60 * time.Second
	MaxHookTimeout     = 300 * time.Second
)

// Hook is one entry of hooks: a command that sees calls, and may change or
// block them.
type Hook struct {
	Event      HookEvent
	Matcher    string   // as it stands; "" is every tool
	Command    string   // as it stands, which is what a person consents to
	Words      []string // the command, split as a shell splits words
	Timeout    time.Duration
	FailClosed bool   // a failure blocks the call
	Key        string // where it stands in the file: hooks.pre_tool_call[0]
	File       string
	Line       int

	pattern *regexp.Regexp // nil: compared literally
}

// Matches reports whether the hook sees calls of a tool, by its real wire name:
// the matcher has to match the whole of it.
func (h Hook) Matches(tool string) bool {
	switch {
	case h.Matcher == "":
		return true
	case h.pattern == nil:
		return h.Matcher == tool
	}
	return h.pattern.MatchString(tool)
}

// hooks reads the block hooks: the entries of the two events of calls. Other
// events are of Hermes and not of calls.
func (l *loader) hooks(n *node) []Hook {
	if n.absent() {
		return nil
	}
	if n.kind != kindMap {
		l.warn("hooks", n.line, "", "", fmt.Sprintf("hooks is %s where a mapping of events is due: it is ignored", n.kind))
		return nil
	}
	var all []Hook
	for _, p := range n.pairs {
		event := HookEvent(p.key)
		at := "hooks." + p.key
		if event != HookPre && event != HookPost {
			if likeCallEvent(p.key) {
				l.warn(at, p.line, "", "", fmt.Sprintf("%s is no event of calls, and its hooks see none: the events are %s and %s", at, HookPre, HookPost))
			}
			continue
		}
		if p.value.absent() {
			continue
		}
		if p.value.kind != kindList {
			l.warn(at, p.line, "", "", fmt.Sprintf("%s is %s where a list of hooks is due: it is ignored", at, p.value.kind))
			continue
		}
		for i, item := range p.value.items {
			if h, ok := l.hook(event, item, fmt.Sprintf("%s[%d]", at, i)); ok {
				all = append(all, h)
			}
		}
	}
	return all
}

// likeCallEvent reports whether a key looks like a misspelt event of calls. The
// events that Hermes has beside them do not.
func likeCallEvent(key string) bool {
	key = strings.ToLower(key)
	switch key {
	case "pre_llm_call", "post_llm_call", "pre_api_request", "post_api_request":
		return false
	}
	return strings.HasPrefix(key, "pre") || strings.HasPrefix(key, "post") || strings.Contains(key, "tool")
}

// hook reads one entry.
func (l *loader) hook(event HookEvent, n *node, at string) (Hook, bool) {
	if n.absent() || n.kind != kindMap {
		l.warn(at, n.line, "", "", at+" is no mapping with a command: it is left out")
		return Hook{}, false
	}
	l.unknown(n, at, []string{"matcher", "command", "timeout", "fail_closed"})
	h := Hook{
		Event: event, Key: at, Matcher: strings.TrimSpace(l.text(n.get("matcher"), at+".matcher")), Command: strings.TrimSpace(l.text(n.get("command"), at+".command")),
		Timeout: l.seconds(n.get("timeout"), at+".timeout", DefaultHookTimeout), FailClosed: l.flag(n.get("fail_closed"), at+".fail_closed", false), File: l.name, Line: n.line,
	}
	if h.Timeout > MaxHookTimeout {
		l.warn(at+".timeout", n.lineOf("timeout"), h.Timeout.String(), MaxHookTimeout.String(), fmt.Sprintf("a hook gets at most %s", MaxHookTimeout))
		h.Timeout = MaxHookTimeout
	}
	words, err := shlex.Split(h.Command)
	if err != nil || len(words) == 0 {
		l.warn(at+".command", n.line, "", "", at+" has no command that can be split into words: it is left out")
		return Hook{}, false
	}
	for i, w := range words {
		if w == "~" || strings.HasPrefix(w, "~/") {
			words[i] = l.opts.Home + w[1:]
		}
	}
	h.Words = words
	l.matcher(&h, at+".matcher", n.lineOf("matcher"))
	return h, true
}

// matcher compiles a hook's matcher, which is written for Python.
func (l *loader) matcher(h *Hook, key string, line int) {
	if h.Matcher == "" {
		return
	}
	pattern, err := regexp.Compile(`\A(?:` + h.Matcher + `)\z`)
	switch {
	case err != nil && onlyPython(h.Matcher):
		l.warn(key, line, h.Matcher, h.Matcher, "the matcher looks around or refers back, which Python's regular expressions can and Go's cannot: here it is compared literally, in Hermes it may match more")
	case err != nil:
		l.warn(key, line, h.Matcher, h.Matcher, "the matcher is no regular expression: it is compared literally")
	default:
		h.pattern = pattern
		for _, bridge := range []string{"tool_call", "tool_search", "tool_describe"} {
			if h.Matcher == bridge {
				l.warn(key, line, bridge, bridge, fmt.Sprintf("hooks see the real name of a tool, never %s: this one never fires", bridge))
			}
		}
	}
}

// onlyPython reports whether a pattern uses what Go's regular expressions do
// not have.
func onlyPython(pattern string) bool {
	return slices.ContainsFunc([]string{"(?=", "(?!", "(?<=", "(?<!", "(?P=", `\1`, `\2`, "(?>", "(?("}, func(s string) bool { return strings.Contains(pattern, s) })
}
