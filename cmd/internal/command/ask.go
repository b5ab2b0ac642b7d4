package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// ErrNobody is returned where a person has to be asked and stdin is no terminal.
var ErrNobody = errors.New("there is no terminal to ask on")

// Line prints a prompt to stderr and returns the line that a person answers, without blanks around it. Its
// error is io.EOF where the input has ended.
func (e *Env) Line(prompt string) (string, error) {
	if err := e.Out.Flush(); err != nil {
		return "", err
	}
	if _, err := io.WriteString(e.Err, prompt); err != nil {
		return "", err
	}
	if e.lines == nil {
		e.lines = bufio.NewReader(e.In)
	}
	line, err := e.lines.ReadString('\n')
	if err != nil {
		e.Note("") // the answer did not end the prompt's line
		if line == "" {
			return "", err
		}
	}
	return strings.TrimSpace(line), nil
}

// Ask asks until the answer is one of words, or the first letter of one. An empty answer is the first word.
// Its error is that of Line.
func (e *Env) Ask(question string, words ...string) (string, error) {
	for {
		answer, err := e.Line(question)
		if err != nil {
			return "", err
		}
		answer = strings.ToLower(answer)
		for _, w := range words {
			if answer == "" || answer == w || answer == w[:1] {
				return w, nil
			}
		}
	}
}

// Key prints a prompt to stderr and returns the key that a person presses, one of keys. Its error is ErrLeft
// for any other key.
func (e *Env) Key(prompt, keys string) (string, error) {
	if err := e.Out.Flush(); err != nil {
		return "", err
	}
	fmt.Fprint(e.Err, prompt)
	fd := int(os.Stdin.Fd())
	if before, err := term.MakeRaw(fd); err == nil {
		defer term.Restore(fd, before)
	}
	key := make([]byte, 1)
	if _, err := e.In.Read(key); err != nil || !strings.Contains(keys, string(key)) {
		fmt.Fprint(e.Err, "\r\n")
		return "", ErrLeft
	}
	fmt.Fprintf(e.Err, "%s\r\n", key)
	return string(key), nil
}

// Confirm asks a question to be answered with y or n. An empty answer is def; the end of the input, and
// anything else, is no.
func (e *Env) Confirm(question string, def bool) bool {
	answer, err := e.Line(question + map[bool]string{true: " [Y/n] ", false: " [y/N] "}[def])
	if err != nil {
		return false
	}
	switch strings.ToLower(answer) {
	case "":
		return def
	case "y", "yes":
		return true
	}
	return false
}
