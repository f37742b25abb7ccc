package console

import (
	"fmt"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// What is written to a console arrives there as what it is, whatever its code page; nothing asks it to obey escape sequences. A console is
// given to tests that run in a terminal.
func TestConsoleTakesAnyLetter(t *testing.T) {
	kernel32 := windows.NewLazySystemDLL("kernel32.dll")
	const textMode = 1
	handle, _, err := kernel32.NewProc("CreateConsoleScreenBuffer").Call(windows.GENERIC_READ|windows.GENERIC_WRITE, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, 0, textMode, 0)
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(handle), &mode) != nil {
		t.Skipf("there is no console: %v", err)
	}
	screen := os.NewFile(handle, "console")
	defer func() { _ = screen.Close() }() // nothing is read from it afterwards
	if !IsTerminal(NewChecked(screen)) {
		t.Error("it is taken for no terminal")
	}
	const text = "Größe Кот 狐 ☃"
	if _, err := fmt.Fprint(Plain(NewChecked(screen)), text+"\n\x1b[31m"); err != nil {
		t.Fatal(err)
	}
	for line, want := range []string{text, `\x1b[31m`} {
		var cells [40]uint16
		var n uint32
		if ok, _, err := kernel32.NewProc("ReadConsoleOutputCharacterW").Call(handle, uintptr(unsafe.Pointer(&cells)), uintptr(len([]rune(want))), uintptr(line)<<16, uintptr(unsafe.Pointer(&n))); ok == 0 {
			t.Fatal(err)
		}
		if got := windows.UTF16ToString(cells[:n]); got != want {
			t.Errorf("line %d of the console: %q, want %q", line, got, want)
		}
	}
}
