package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxNames is how many files of one name Write tries beside each other.
const maxNames = 100

// Name is the name of a file made at a time, in that time's own zone:
// toolscope-20060102-150405.ext. The ext may come with its dot or without.
func Name(at time.Time, ext string) string {
	return at.Format("toolscope-20060102-150405.") + strings.TrimPrefix(ext, ".")
}

// Write makes a new file in dir and returns its path. A file that is there
// already is left alone: the new one is then called name-2, name-3 and so on,
// before the extension. The mode is 0644 less the umask, since a screen is made
// to be shown and holds no secrets. It fails when name is not that of a file
// alone, when the file cannot be made or written, in which case none is left,
// and when a hundred of that name are there.
func Write(dir, name string, data []byte) (path string, err error) {
	if name != filepath.Base(name) || name == "." || name == ".." || name == string(filepath.Separator) {
		return "", fmt.Errorf("save the screen: %q is no file name", name)
	}
	f, err := create(dir, name)
	if err != nil {
		return "", fmt.Errorf("save the screen: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("save the screen: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return f.Name(), nil
}

// create opens the first file of that name that is not there yet.
func create(dir, name string) (*os.File, error) {
	path := filepath.Join(dir, name)
	ext := filepath.Ext(name)
	for n := 1; ; n++ {
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext))
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if !errors.Is(err, fs.ErrExist) || n == maxNames {
			return f, err
		}
	}
}
