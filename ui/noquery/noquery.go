// Package noquery keeps the program from asking the terminal for its
// background colour as soon as it starts.
//
// Bubble Tea v1 asks while its package is initialised, before main runs, and
// waits up to five seconds for a terminal that does not answer: in every
// sub-command, also where no screen is ever drawn. Termenv asks no terminal
// whose TERM is "dumb". So this package, which depends on nothing but os and is
// therefore initialised before Bubble Tea, puts that word in TERM; main puts
// the person's own value back with [Restore] as its first act, and the screen
// asks for itself, once, when it is about to be drawn.
package noquery

import "os"

// saved is the person's TERM. It is taken by the variable's own initialisation,
// so that importing the package is all it takes.
var saved, present = hide()

func hide() (string, bool) {
	term, ok := os.LookupEnv("TERM")
	// An error leaves TERM as it is: then the terminal is asked, and answers or not.
	_ = os.Setenv("TERM", "dumb")
	return term, ok
}

// Restore puts TERM back as it was when the program started.
func Restore() {
	if !present {
		_ = os.Unsetenv("TERM")
		return
	}
	_ = os.Setenv("TERM", saved)
}
