package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Watcher tells when one of some files has changed. Make one with [Watch].
type Watcher struct {
	changed chan struct{}
	files   *fsnotify.Watcher
	done    chan struct{}
}

// quiet is how long a file must rest after a change before it is told: an
// editor writes in several steps.
const quiet = 200 * time.Millisecond

// Watch watches configuration files, and the .env beside each. Their folders
// are watched, so that a file that an editor or a program puts in place of the
// old one is still the one watched. It must be closed.
func Watch(paths ...string) (*Watcher, error) {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching the configuration: %w", err)
	}
	var names []string
	for _, path := range paths {
		// Through a link the file itself is what changes.
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			real = path
		}
		for _, p := range []string{path, real, filepath.Join(filepath.Dir(path), ".env")} {
			if absolute, err := filepath.Abs(p); err == nil && !slices.Contains(names, absolute) {
				names = append(names, absolute)
			}
		}
	}
	for _, name := range names {
		if err := files.Add(filepath.Dir(name)); err != nil {
			files.Close()
			return nil, fmt.Errorf("watching %s: %w", filepath.Dir(name), err)
		}
	}
	w := &Watcher{changed: make(chan struct{}, 1), files: files, done: make(chan struct{})}
	go w.run(names)
	return w, nil
}

// Changed tells of changes, several close together as one. It is closed with
// the watcher.
func (w *Watcher) Changed() <-chan struct{} { return w.changed }

// Close ends the watching. It returns once nothing of it is left.
func (w *Watcher) Close() {
	w.files.Close()
	<-w.done
}

func (w *Watcher) run(names []string) {
	defer close(w.done)
	defer close(w.changed)
	rest := time.NewTimer(quiet)
	rest.Stop()
	defer rest.Stop()
	for {
		select {
		case ev, ok := <-w.files.Events:
			if !ok {
				return
			}
			if ev.Op != fsnotify.Chmod && slices.Contains(names, filepath.Clean(ev.Name)) {
				rest.Reset(quiet)
			}
		case _, ok := <-w.files.Errors:
			if !ok {
				return
			}
			rest.Reset(quiet) // events may have been lost
		case <-rest.C:
			select {
			case w.changed <- struct{}{}:
			default:
			}
		}
	}
}
