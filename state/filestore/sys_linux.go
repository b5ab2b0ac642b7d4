package filestore

import (
	"fmt"
	"os"
	"slices"
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
	for piece := 4096; piece > 1024; piece -= 307 { // so that the pieces end elsewhere each time
		if pid := holderListed(file.Ino, piece); pid != "" {
			name, err := os.ReadFile("/proc/" + pid + "/comm")
			if err != nil {
				return "process " + pid
			}
			return fmt.Sprintf("process %s (%s)", pid, strings.TrimSpace(string(name)))
		}
	}
	return ""
}

// holderListed returns the process that the kernel lists as the holder of the lock on an inode, "" for none.
// The list is read in pieces of so many bytes. Where other locks come and go meanwhile, the kernel leaves out
// a line between two pieces, again and again while they end there.
func holderListed(inode uint64, piece int) string {
	f, err := os.Open("/proc/locks")
	if err != nil {
		return ""
	}
	defer f.Close()
	var list []byte
	for n := 1; n > 0; {
		list = slices.Grow(list, piece)
		n, _ = f.Read(list[len(list) : len(list)+piece])
		list = list[:len(list)+n]
	}
	for line := range strings.Lines(string(list)) { // 1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF
		f := strings.Fields(line)
		if len(f) >= 6 && f[1] == "FLOCK" && f[4] != "0" && strings.HasSuffix(f[5], fmt.Sprintf(":%d", inode)) {
			return f[4]
		}
	}
	return ""
}

// syncData makes the content of a file durable whose size did not change. It spares the disk the file's time.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
