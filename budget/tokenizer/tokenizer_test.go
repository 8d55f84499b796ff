package tokenizer

import (
	"strings"
	"testing"
)

func newCounter(t testing.TB) Counter {
	t.Helper()
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCount(t *testing.T) {
	c := newCounter(t)
	for text, want := range map[string]int{
		"":             0,
		"hello world":  2,
		"Hello, world": 3,
		"a":            1,
		"日本語":          2,
		"  ":           1,
		"tool_search":  2,
	} {
		got, err := c.Count(text)
		if err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
}

// A long text is counted in pieces, each of which may be a token too many.
func TestCountLong(t *testing.T) {
	c := newCounter(t)
	words := strings.Repeat("list the issues of a repository ", 10000)
	got, err := c.Count(words)
	if err != nil {
		t.Fatal(err)
	}
	if want := 10000 * 6; got < want-len(words)/maxPiece-2 || got > want+len(words)/maxPiece+2 {
		t.Errorf("got %d tokens, want about %d", got, want)
	}
	for _, text := range []string{
		strings.Repeat("a", 300_000), strings.Repeat(" ", 300_000), strings.Repeat("🙂", 60_000), strings.Repeat("\xff\x00", 100_000),
		strings.Repeat("\n", 300_000), strings.Repeat("x9", 150_000),
	} {
		if n, err := c.Count(text); err != nil || n <= 0 || n > len(text)*3 {
			t.Errorf("%.10q…: %d tokens, %v", text, n, err)
		}
	}
}

func FuzzCount(f *testing.F) {
	for _, seed := range []string{"", "a", "\xff", "<|endoftext|>", "日本語 🙂\u200d\u202e", "  \n\t "} {
		f.Add(seed)
	}
	c := newCounter(f)
	f.Fuzz(func(t *testing.T, text string) {
		n, err := c.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		if (n == 0) != (text == "") {
			t.Fatalf("%q: %d tokens", text, n)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	c := newCounter(b)
	text := strings.Repeat(`{"type":"function","function":{"name":"mcp_github_create_issue","description":"Open a new issue in a repository."}},`, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := c.Count(text); err != nil {
			b.Fatal(err)
		}
	}
}
