package mcpconn

import (
	"runtime"
	"slices"
	"strings"

	"toolscope/mcpconn/config"
)

// safeNames are the variables of the person's environment that a child gets:
// what programs need to run at all, and nothing that may be a secret.
var safeNames = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy",
}

// safePrefixes are the families of variables that a child gets.
var safePrefixes = []string{"LC_", "XDG_", "npm_config_", "NPM_CONFIG_"}

// safeWindows are the further variables without which programs on Windows do
// not start.
var safeWindows = []string{
	"SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
	"PROGRAMFILES(X86)", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "TEMP", "TMP", "NUMBER_OF_PROCESSORS",
	"PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE",
}

// childEnv is the environment of a child: the safe part of the person's own,
// and over it what the configuration adds. It is sorted.
func childEnv(environ []string, own map[string]string) []string {
	vars := map[string]string{}
	for _, pair := range environ {
		name, value, ok := strings.Cut(pair, "=")
		if ok && safe(name) {
			vars[name] = value
		}
	}
	for name, value := range own {
		vars[name] = value
	}
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		// Neither can stand in an environment; the configuration is the person's own.
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
			continue
		}
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

func safe(name string) bool {
	if slices.Contains(safeNames, name) {
		return true
	}
	if runtime.GOOS == "windows" {
		upper := strings.ToUpper(name)
		if upper == "PATH" || slices.Contains(safeWindows, upper) {
			return true
		}
	}
	return slices.ContainsFunc(safePrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// variable returns the value of a variable in an environment.
func variable(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if n, value, ok := strings.Cut(pair, "="); ok && n == name {
			return value
		}
	}
	return ""
}

// proxySecrets returns what must never be shown of the proxy addresses that
// children get.
func proxySecrets(environ []string) []string {
	var secrets []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasSuffix(strings.ToLower(name), "_proxy") && strings.Contains(value, "@") {
			secrets = append(secrets, config.URLSecrets(value)...)
		}
	}
	return secrets
}
