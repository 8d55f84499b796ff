package config

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Secrets returns every value of the server that must never be shown: the
// values of env and headers, the user, password, query values and tell-tale
// path segments of the URL, and the arguments that came out of a variable or
// follow a flag such as --token. Not in any order; it may repeat values.
func (s Server) Secrets() []string {
	secrets := slices.Clone(s.secrets)
	for _, v := range s.Env {
		secrets = append(secrets, v)
	}
	for _, v := range s.Headers {
		// "Bearer abc" is leaked by its second word alone.
		secrets = append(secrets, v)
		secrets = append(secrets, strings.Fields(v)...)
	}
	if s.URL != "" {
		secrets = append(secrets, URLSecrets(s.URL)...)
	}
	return secrets
}

// URLSecrets returns what must never be shown of a URL: user, password, query
// values, fragment, and path segments that look like a key.
func URLSecrets(address string) []string {
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

// wordSecret is the number of bytes below which a secret is masked only where
// it stands as a word of its own: "exit" as a value must not riddle "exited".
const wordSecret = 8

// Redactor masks secrets in text meant for a screen, a log or an error. The
// zero value masks nothing. It is safe for concurrent use.
type Redactor struct {
	replacer *strings.Replacer // the long ones
	words    []string          // the short ones, longest first
	longest  int
}

// NewRedactor makes a redactor for the secrets of all servers given, and
// further ones, in each form they may be echoed in: as they are, line by line,
// escaped for a URL and escaped for JSON.
func NewRedactor(servers []Server, further ...string) Redactor {
	set := map[string]bool{}
	add := func(s string) {
		if len(s) >= minSecret && !slices.Contains(harmless, strings.ToLower(s)) {
			set[s] = true
		}
	}
	secrets := slices.Clone(further)
	for _, server := range servers {
		secrets = append(secrets, server.Secrets()...)
	}
	for _, secret := range secrets {
		secret = strings.TrimSpace(secret)
		if len(secret) < minSecret || slices.Contains(harmless, strings.ToLower(secret)) {
			continue
		}
		add(secret)
		add(url.QueryEscape(secret))
		add(url.PathEscape(secret))
		quoted := quote(secret)
		add(quoted[1 : len(quoted)-1])
		if escaped, err := json.Marshal(secret); err == nil {
			add(string(escaped[1 : len(escaped)-1]))
		}
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); len(line) >= 2*minSecret {
				add(line)
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
	var pairs []string
	for _, s := range forms {
		if len(s) < wordSecret {
			r.words = append(r.words, s)
			continue
		}
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
	text = r.replacer.Replace(text)
	for _, word := range r.words {
		text = maskWord(text, word)
	}
	return text
}

// maskWord masks a word where no letter or digit touches it.
func maskWord(text, word string) string {
	if !strings.Contains(text, word) {
		return text
	}
	var b strings.Builder
	before := rune(0)
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], word) && !wordRune(before) {
			after, _ := utf8.DecodeRuneInString(text[i+len(word):])
			if !wordRune(after) {
				b.WriteString(Mask)
				i += len(word)
				before = '*'
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[i : i+size])
		before = r
		i += size
	}
	return b.String()
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Longest is the length in bytes of the longest form of a secret: whoever cuts
// text must redact it first, with that much more than is kept.
func (r Redactor) Longest() int { return r.longest }
