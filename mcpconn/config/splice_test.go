package config

import (
	"strings"
	"testing"
)

var tokens = Setting{[]string{"tools", "tool_search", "listing_max_tokens"}, "1200"}

func TestSplice(t *testing.T) {
	for _, test := range []struct{ name, in, out string }{
		{"a value", "tools:\n  tool_search:\n    listing_max_tokens: 4000   # the cap\n    x: y\n", "tools:\n  tool_search:\n    listing_max_tokens: 1200   # the cap\n    x: y\n"},
		{"line ends of Windows", "tools:\r\n  tool_search:\r\n    listing_max_tokens: 4000\r\n", "tools:\r\n  tool_search:\r\n    listing_max_tokens: 1200\r\n"},
		{"in braces", "tools: {tool_search: {enabled: auto, listing_max_tokens: 4000}, x: [1]}\n", "tools: {tool_search: {enabled: auto, listing_max_tokens: 1200}, x: [1]}\n"},
		{"in quotes", "tools:\n  tool_search: {listing_max_tokens: '40''00' }\n", "tools:\n  tool_search: {listing_max_tokens: 1200 }\n"},
		{"no key", "tools:\n  tool_search:\n    # about enabled\n    enabled: auto\n", "tools:\n  tool_search:\n    listing_max_tokens: 1200\n    # about enabled\n    enabled: auto\n"},
		{"no key in braces", "tools: {tool_search: {enabled: auto}}", "tools: {tool_search: {listing_max_tokens: 1200, enabled: auto}}"},
		{"empty braces", "tools: {tool_search: {}}", "tools: {tool_search: {listing_max_tokens: 1200}}"},
		{"no block", "tools:\n    other: 1\nz: 1\n", "tools:\n    tool_search:\n      listing_max_tokens: 1200\n    other: 1\nz: 1\n"},
		{"no tools", "# mine\nmcp_servers: {}\n", "# mine\nmcp_servers: {}\ntools:\n  tool_search:\n    listing_max_tokens: 1200\n"},
		{"no line end", "a: 1", "a: 1\ntools:\n  tool_search:\n    listing_max_tokens: 1200\n"},
		{"an empty file", "", "tools:\n  tool_search:\n    listing_max_tokens: 1200\n"},
		{"comments alone", "# nothing yet\n", "# nothing yet\ntools:\n  tool_search:\n    listing_max_tokens: 1200\n"},
		{"two documents", "a: 1\n---\nb: 2\n", "tools:\n  tool_search:\n    listing_max_tokens: 1200\na: 1\n---\nb: 2\n"},
		{"true", "tools:\n  tool_search: true # on\n", "tools:\n  tool_search: {enabled: auto, listing_max_tokens: 1200} # on\n"},
		{"off", "tools:\n  tool_search: off\n", "tools:\n  tool_search: {enabled: off, listing_max_tokens: 1200}\n"},
		{"nothing after the key", "tools:\n  tool_search: # later\nz: 1\n", "tools:\n  tool_search: {listing_max_tokens: 1200} # later\nz: 1\n"},
		{"null", "tools:\n  tool_search: null\n", "tools:\n  tool_search: {listing_max_tokens: 1200}\n"},
		{"no value", "tools:\n  tool_search:\n    listing_max_tokens:\n    x: 1\n", "tools:\n  tool_search:\n    listing_max_tokens: 1200\n    x: 1\n"},
		{"non-ASCII before it", "ä: ö\ntools: {ünï: '…', tool_search: {listing_max_tokens: 4000}}\n", "ä: ö\ntools: {ünï: '…', tool_search: {listing_max_tokens: 1200}}\n"},
		{"a byte order mark", "\ufefftools:\n  tool_search:\n    listing_max_tokens: 4000\n", "\ufefftools:\n  tool_search:\n    listing_max_tokens: 1200\n"},
		{"a merge", "d: &d {enabled: off}\ntools:\n  tool_search:\n    <<: *d\n", "d: &d {enabled: off}\ntools:\n  tool_search:\n    listing_max_tokens: 1200\n    <<: *d\n"},
	} {
		out, err := Splice("c.yaml", []byte(test.in), []Setting{tokens})
		if err != nil || string(out) != test.out {
			t.Errorf("%s: %v\ngot  %q\nwant %q", test.name, err, out, test.out)
		}
	}
}

func TestSpliceSeveral(t *testing.T) {
	in := "model: {context_length: 1000}\n"
	out, err := Splice("c.yaml", []byte(in), []Setting{
		tokens, {[]string{"tools", "tool_search", "threshold_pct"}, "2.5"}, {[]string{"toolscope", "context_length"}, "128000"}, {[]string{"tools", "tool_search", "listing"}, "on"},
	})
	want := "model: {context_length: 1000}\ntools:\n  tool_search:\n    listing: on\n    threshold_pct: 2.5\n    listing_max_tokens: 1200\ntoolscope:\n  context_length: 128000\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSpliceRefuses(t *testing.T) {
	for in, says := range map[string]string{
		"d: &d {listing_max_tokens: 1}\ntools:\n  tool_search: *d\n":    "whose value others may share",
		"tools:\n  tool_search: &s {listing_max_tokens: 1}\nb: *s\n":    "whose value others may share",
		"tools:\n  tool_search:\n    listing_max_tokens: &n 1\nb: *n\n": "no plain scalar",
		"tools:\n  tool_search:\n    listing_max_tokens: |\n      5\n":  "no plain scalar",
		"tools:\n  tool_search:\n    listing_max_tokens: [1]\n":         "no plain scalar",
		"tools: []\n":            "an alias, an anchor, a tag or a list",
		"tools: 5\n":             "tools is no mapping",
		"- a\n":                  "the file is no mapping",
		"a: [\n":                 "c.yaml:",
		"%YAML 1.2\n---\na: 1\n": "directive",
		"tools:\n  tool_search:\n    listing_max_tokens: 1\n    listing_max_tokens: 2\n": "would change what other keys mean",
	} {
		out, err := Splice("c.yaml", []byte(in), []Setting{tokens})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %q, %v; want an error with %q", in, out, err, says)
		}
	}
}

// FuzzSplice: whatever the file, what is written changes nothing but what it is
// to change.
func FuzzSplice(f *testing.F) {
	for _, seed := range []string{
		"", "a: 1", "tools: {tool_search: {listing_max_tokens: 4000}}", "tools:\r\n  tool_search:\r\n    enabled: on\r\n", "tools:\n  tool_search: true\n", "tools: &a\n  b: *a\n",
		"? tools\n: x\n", "tools:\n- a\n", "\"tools\": {'tool_search': {\"listing_max_tokens\": 'x'}}", "tools:\n  tool_search: >\n    x\n", "---\n...\n---\na: b", "tools:\n tool_search:\n  x: \"a\n   b\"\n",
		"tools: {tool_search: {a: 1,\n b: 2}}", "\ttools: 1", "tools: !!map {tool_search: !x {}}", "tools:\n  tool_search:\n    listing_max_tokens: 5 : 6\n", "a: b # tools:\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := Splice("f.yaml", []byte(text), []Setting{tokens})
		if err != nil {
			return
		}
		if err := sameButFor("f.yaml", []byte(text), out, []Setting{tokens}); err != nil {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		// It may refuse a file of odd line ends, whose lines are counted in more
		// than one way; what it does not refuse must hold.
		again, err := Splice("f.yaml", out, []Setting{tokens})
		if err == nil && string(again) != string(out) {
			t.Fatalf("writing %q again gives %q", out, again)
		}
	})
}
