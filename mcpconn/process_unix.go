//go:build unix

package mcpconn

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes the child the leader of a process group of its own, so that
// its own children can be ended with it and a Ctrl-C at the terminal does not
// reach them before us.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// terminateGroup asks every process of the child's group to end.
func terminateGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGTERM) }

// killGroup ends every process of the child's group.
func killGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

func signalGroup(cmd *exec.Cmd, sig syscall.Signal) {
	if cmd.Process != nil && cmd.Process.Pid > 1 {
		// ESRCH: nobody is left, which is what we want. The number cannot be
		// another group's while a process of this one lives.
		_ = syscall.Kill(-cmd.Process.Pid, sig)
	}
}

// endingSignal names the signal that ended a process, "" if none did.
func endingSignal(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	if name := unix.SignalName(status.Signal()); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(status.Signal()))
}
