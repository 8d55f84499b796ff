package ui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/muesli/termenv"
)

// BenchmarkFrame is a key press and the frame after it, at 160×48, with each
// pane focused and while typing a query. p99-ms is the slowest but one in a
// hundred.
func BenchmarkFrame(b *testing.B) {
	for _, tools := range []int{3300, 33000} {
		for name, keys := range map[string][2]string{
			"tier": {"1", "[]"}, "listing": {"2", "JK"}, "budget": {"3", "{}"}, "query": {"4", "jk"}, "call": {"5", "]["}, "typing": {"/", "ab"}, "expected": {"/", "ab"},
		} {
			b.Run(fmt.Sprintf("%d/%s", tools, name), func(b *testing.B) {
				w := newBench(b, termenv.TrueColor, 160, 48).answers(tools)
				if name == "expected" {
					w.send(pinMsg{"mcp_weather_sea_state"})
				}
				w.press(keys[0])
				if name == "call" || name == "query" {
					w.send(queryMsg{"list container manifest"})
				}
				var took []time.Duration
				i := 0
				for b.Loop() {
					k := string(keys[1][i%len(keys[1])])
					if (name == "typing" || name == "expected") && i%12 == 11 {
						k = "backspace"
						if i%24 == 23 {
							k = " "
						}
					}
					start := time.Now()
					w.send(keyMsg(k))
					w.m.View()
					took = append(took, time.Since(start))
					i++
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			})
		}
	}
}
