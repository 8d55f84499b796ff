//go:build windows

package mcpconn

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup starts the child in a console group of its own, so that a Ctrl-C at
// the terminal does not reach it before us.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup does nothing: Windows has no signal that asks a process to end.
func terminateGroup(*exec.Cmd) {}

// killGroup ends the child and its descendants.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process == nil {
		return
	}
	// taskkill walks the tree; what it cannot find has ended.
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	_ = cmd.Process.Kill()
}

// endingSignal is always "": processes end with a code here.
func endingSignal(*os.ProcessState) string { return "" }
