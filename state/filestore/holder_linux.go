package filestore

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// holderOf names the process that holds the lock on a file, "" if that is not known: it may be in another
// container, or the file on a disk of another machine.
func holderOf(path string) string {
	var file syscall.Stat_t
	if err := syscall.Stat(path, &file); err != nil {
		return ""
	}
	b, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) { // 1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || !strings.HasSuffix(f[5], fmt.Sprintf(":%d", file.Ino)) || f[4] == "0" {
			continue
		}
		name, err := os.ReadFile("/proc/" + f[4] + "/comm")
		if err != nil {
			return "process " + f[4]
		}
		return fmt.Sprintf("process %s (%s)", f[4], strings.TrimSpace(string(name)))
	}
	return ""
}
