package config

import (
	"testing"
	"time"
)

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		300 * time.Second: "300s", 90 * time.Minute: "5400s", 2500 * time.Millisecond: "2.5s", time.Second: "1s", 200 * time.Millisecond: "200ms",
	} {
		if got := Seconds(d); got != want {
			t.Errorf("%s is %s, want %s", d, got, want)
		}
	}
}
