package main

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// pty opens a pseudo-terminal: the bytes written to tty come out of the other end, as a person would see it.
func pty(t *testing.T, columns uint16) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("integration with a terminal: none is there: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	control := func(request uintptr, arg unsafe.Pointer) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, uintptr(arg)); errno != 0 {
			t.Fatal(errno)
		}
	}
	var locked, number int32
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	size := [4]uint16{50, columns}
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("integration with a terminal: none is there: %v", err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}
