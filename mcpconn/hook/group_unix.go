//go:build !windows

package hook

import (
	"os/exec"
	"syscall"
)

// group puts a command into a process group of its own, all of which ends with
// it.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
