package config

import (
	"fmt"
	"regexp"
	"strings"
)

// variable matches ${NAME}, ${env:NAME}, ${userHome} and their like.
var variable = regexp.MustCompile(`\$\{([^{}]*)\}`)

// expanded is a string after its variables were filled in.
type expanded struct {
	text   string
	values []string // what came out of .env or the environment
}

// expand fills in the variables of one string. What cannot be resolved stays
// as it stands, with a warning at the key.
func (l *loader) expand(s string, key string, line int) expanded {
	out := expanded{}
	out.text = variable.ReplaceAllStringFunc(s, func(literal string) string {
		name := literal[2 : len(literal)-1]
		switch name {
		case "self":
			return l.known(literal, l.opts.Self, "the path of the running program is not known", key, line)
		case "userHome":
			return l.known(literal, l.opts.Home, "the home folder is not known", key, line)
		case "workspaceFolder":
			return l.known(literal, l.opts.WorkspaceFolder, "the workspace folder is not known", key, line)
		}
		name = strings.TrimPrefix(name, "env:")
		value, set := l.lookup(name)
		if !set {
			l.warn(key, line, literal, literal, fmt.Sprintf("%s is set neither in .env nor in the environment: the text is kept as it stands", literal))
			return literal
		}
		source := "the environment"
		if _, ok := l.dotenv[name]; ok {
			source = ".env"
		}
		l.via[key] = append(l.via[key], name+" from "+source)
		out.values = append(out.values, value)
		return value
	})
	if out.text == "~" || strings.HasPrefix(out.text, "~/") {
		if l.opts.Home != "" {
			out.text = l.opts.Home + out.text[1:]
		}
	}
	return out
}

func (l *loader) known(literal, value, why, key string, line int) string {
	if value == "" {
		l.warn(key, line, literal, literal, fmt.Sprintf("%s cannot be filled in: %s", literal, why))
		return literal
	}
	return value
}

// lookup finds a variable: the .env beside the file first, then the environment.
func (l *loader) lookup(name string) (string, bool) {
	if v, ok := l.dotenv[name]; ok {
		return v, true
	}
	if l.opts.LookupEnv == nil || name == "" {
		return "", false
	}
	return l.opts.LookupEnv(name)
}
