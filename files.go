package main

import (
	"sync"

	"toolscope/mcpconn/config"
)

// files watches the files of the present configuration, whichever they are.
type files struct {
	changed chan struct{}

	mu      sync.Mutex
	watcher *config.Watcher
	ended   sync.WaitGroup
}

func newFiles() *files { return &files{changed: make(chan struct{}, 1)} }

// follow watches these files from now on.
func (f *files) follow(paths []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watcher != nil {
		f.watcher.Close()
		f.watcher = nil
	}
	watcher, err := config.Watch(paths...)
	if err != nil {
		return err
	}
	f.watcher = watcher
	f.ended.Go(func() {
		for range watcher.Changed() {
			select {
			case f.changed <- struct{}{}:
			default:
			}
		}
	})
	return nil
}

// close ends the watching, and tells those who wait that nothing will come.
func (f *files) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watcher != nil {
		f.watcher.Close()
	}
	f.ended.Wait()
	close(f.changed)
}
