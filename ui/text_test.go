package ui

import (
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

func TestFit(t *testing.T) {
	for _, tc := range []struct {
		in    string
		width int
		want  string
	}{
		{"abc", 5, "abc  "},
		{"abcdef", 4, "abc…"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日… "},
		{"abc", 0, ""},
	} {
		if got := fit(tc.in, tc.width); got != tc.want {
			t.Errorf("fit(%q, %d) = %q, want %q", tc.in, tc.width, got, tc.want)
		}
	}
}

func TestFigures(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{980: "980", 1000: "1k", 4930: "4.9k", 9960: "10k", 412345: "412k", 999600: "1M", 1200000: "1.2M"} {
		if got := short(n); got != want {
			t.Errorf("short(%d) = %q, want %q", n, got, want)
		}
	}
	for p, want := range map[float64]string{5: "5", 0.7: "0.7", 2.25: "2.25", 100: "100", 10: "10"} {
		if got := percent(p); got != want {
			t.Errorf("percent(%v) = %q, want %q", p, got, want)
		}
	}
}

func TestBarIsAsWideAsAsked(t *testing.T) {
	plain := lipgloss.NewStyle()
	for width := 0; width <= 40; width++ {
		for _, values := range [][]float64{{}, {0}, {0.001, 50, 100}, {100}, {33.3, 33.3, 33.4}, {1, 1, 1, 1, 1, 1}, {500}} {
			var segments []segment
			for _, v := range values {
				segments = append(segments, segment{value: v, style: plain})
			}
			if got := ansi.StringWidth(bar(segments, 100, width, plain)); got != width {
				t.Fatalf("bar(%v) of %d cells is %d wide", values, width, got)
			}
		}
	}
	if got := bar([]segment{{value: 0.001, style: plain}}, 100, 4, plain); got != "▏░░░" {
		t.Errorf("a small value is drawn as %q, want a sliver", got)
	}
}
