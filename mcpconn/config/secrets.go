package config

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Secrets returns every value of the server that must never be shown: the
// values of env and headers, the user, password, query values and tell-tale
// path segments of the URL, and the arguments that came out of a variable or
// follow a flag such as --token. Not in any order; it may repeat values.
func (s Server) Secrets() []string {
	secrets := slices.Clone(s.secretArgs)
	for _, v := range s.Env {
		secrets = append(secrets, v)
	}
	for _, v := range s.Headers {
		// "Bearer abc" is leaked by its second word alone.
		secrets = append(secrets, v)
		secrets = append(secrets, strings.Fields(v)...)
	}
	if s.URL != "" {
		secrets = append(secrets, urlSecrets(s.URL)...)
	}
	return secrets
}

func urlSecrets(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return []string{address} // cannot be told apart: hide all of it
	}
	var secrets []string
	if u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, u.User.Username(), password, u.User.String(),
			base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
	}
	for _, pair := range strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		_, value, found := strings.Cut(pair, "=")
		if !found {
			value = pair // a bare token
		}
		secrets = append(secrets, value)
		if plain, err := url.QueryUnescape(value); err == nil {
			secrets = append(secrets, plain)
		}
	}
	if u.Fragment != "" {
		secrets = append(secrets, u.Fragment)
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if looksRandom(segment) {
			secrets = append(secrets, segment)
		}
	}
	return secrets
}

// looksRandom reports whether a path segment may be a key, as some hosted
// servers put it there: long, with letters and digits, not a word.
func looksRandom(segment string) bool {
	return len(segment) >= 16 && strings.IndexFunc(segment, unicode.IsDigit) >= 0 && strings.IndexFunc(segment, unicode.IsLetter) >= 0
}

// secretFlag reports whether a command-line flag takes a secret.
func secretFlag(flag string) bool {
	flag = strings.ToLower(flag)
	if !strings.HasPrefix(flag, "-") {
		return false
	}
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(flag, word) })
}

var secretWords = []string{"token", "secret", "password", "passwd", "key", "auth", "credential", "header"}

// Mask is what stands where a secret stood.
const Mask = "***"

// minSecret is the least number of bytes of a value that is masked: shorter
// ones ("1", "on") are no secrets and would riddle every line.
const minSecret = 4

// harmless are values that no one can call a secret and that ordinary lines
// are full of.
var harmless = []string{
	"true", "false", "null", "none", "auto", "info", "warn", "warning", "error", "debug", "trace",
	"production", "development", "test", "localhost", "stdio", "http", "https", "basic", "bearer", "token",
	"application/json", "text/event-stream", "utf-8",
}

// Redactor masks secrets in text meant for a screen, a log or an error. The
// zero value masks nothing. It is safe for concurrent use.
type Redactor struct {
	replacer *strings.Replacer
	longest  int
}

// NewRedactor makes a redactor for the secrets of all servers given, in each
// form they may be echoed in: as they are, line by line, escaped for a URL and
// escaped for JSON.
func NewRedactor(servers []Server) Redactor {
	set := map[string]bool{}
	add := func(s string) {
		if len(s) >= minSecret && !slices.Contains(harmless, strings.ToLower(s)) {
			set[s] = true
		}
	}
	for _, server := range servers {
		for _, secret := range server.Secrets() {
			secret = strings.TrimSpace(secret)
			if len(secret) < minSecret || slices.Contains(harmless, strings.ToLower(secret)) {
				continue
			}
			add(secret)
			add(url.QueryEscape(secret))
			add(url.PathEscape(secret))
			add(strings.Trim(quote(secret), `"`))
			if escaped, err := json.Marshal(secret); err == nil {
				add(string(escaped[1 : len(escaped)-1]))
			}
			for line := range strings.Lines(secret) {
				if line = strings.TrimSpace(line); len(line) >= 2*minSecret {
					add(line)
				}
			}
		}
	}
	r := Redactor{}
	forms := make([]string, 0, len(set))
	for s := range set {
		forms = append(forms, s)
		r.longest = max(r.longest, len(s))
	}
	if len(forms) == 0 {
		return r
	}
	// Longest first: a secret that contains another is masked whole.
	slices.SortFunc(forms, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	pairs := make([]string, 0, 2*len(forms))
	for _, s := range forms {
		pairs = append(pairs, s, Mask)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// Redact returns the text with every secret masked.
func (r Redactor) Redact(text string) string {
	if r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}

// Longest is the length in bytes of the longest form of a secret: whoever cuts
// text must redact it first, with that much more than is kept.
func (r Redactor) Longest() int { return r.longest }
