package config

import (
	"strconv"
	"time"
)

// Seconds writes a time limit as a configuration has it, in seconds: "300s". Less
// than a second is written in parts of one: "200ms".
func Seconds(d time.Duration) string {
	if d < time.Second {
		return d.String()
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}
