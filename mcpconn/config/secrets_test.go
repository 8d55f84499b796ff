package config

import (
	"strings"
	"testing"
)

func TestSecretsAreMasked(t *testing.T) {
	cfg, err := Parse("c", []byte(`
mcp_servers:
  a:
    command: x
    args: [--root, /plain/path, --api-key=fl4g-value, --token, f0llowing, "${VAR}", -v]
    env: {KEY: 'env "v4lue"', PEM: "-----BEGIN-----\nline-0ne-of-key\nline-tw0-of-key\n", DEBUG: "true", N: "1", SHORT: exit}
  b:
    url: https://us3r:p%40ss@host.example/api/sk1234567890abcdef/mcp?key=qu3ry%20val&bare#fr4gment
    headers: {Authorization: Bearer h3ader-token, X-Plain: application/json}
`), Options{LookupEnv: func(string) (string, bool) { return "var-v4lue", true }})
	if err != nil {
		t.Fatal(err)
	}
	r := NewRedactor(cfg.Servers, "f0rther")
	for _, test := range []struct{ in, out string }{
		{`--root /plain/path -v`, `--root /plain/path -v`},
		{`--api-key=fl4g-value`, `--api-key=***`},
		{`--token f0llowing`, `--token ***`},
		{`got var-v4lue!`, `got ***!`},
		{`env "v4lue"`, `***`},
		{`{"k":"env \"v4lue\""}`, `{"k":"***"}`},
		{`env+%22v4lue%22 env%20%22v4lue%22`, `*** ***`},
		{`at line-tw0-of-key:`, `at ***:`},
		{`debug is true, 1`, `debug is true, 1`},
		{`exit: it exited on exit`, `***: it exited on ***`},
		{`us3r`, `***`},
		{`p@ss p%40ss`, `*** ***`},
		{`dXMzcjpwQHNz`, `***`},
		{`https://host.example/api/sk1234567890abcdef/mcp`, `https://host.example/api/***/mcp`},
		{`key=qu3ry%20val or qu3ry val`, `key=*** or ***`},
		{`#fr4gment`, `#***`},
		{`Bearer h3ader-token, h3ader-token`, `***, ***`},
		{`application/json`, `application/json`},
		{`f0rther`, `***`},
	} {
		if got := r.Redact(test.in); got != test.out {
			t.Errorf("%s: %s, want %s", test.in, got, test.out)
		}
	}
	if r.Longest() < len("-----BEGIN-----\nline-0ne-of-key\nline-tw0-of-key") {
		t.Errorf("the longest is %d", r.Longest())
	}
}

// A secret that contains another is masked whole.
func TestLongestFirst(t *testing.T) {
	r := NewRedactor(nil, "secret-one", "secret-one-and-more", "secret")
	if got := r.Redact("secret-one-and-more secret-one secret secrets"); got != "*** *** *** secrets" {
		t.Error(got)
	}
}

func TestZeroRedactor(t *testing.T) {
	var r Redactor
	if r.Redact("text") != "text" || r.Longest() != 0 || NewRedactor(nil).Redact("text") != "text" {
		t.Error("it masks nothing")
	}
}

// A URL that cannot be read may hide a secret anywhere.
func TestUnreadableURL(t *testing.T) {
	if got := strings.Join(URLSecrets("http://h:b4d-port/x"), " "); got != "http://h:b4d-port/x" {
		t.Error(got)
	}
}
