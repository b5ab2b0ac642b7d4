package lsp

import (
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
)

// The parts of the Language Server Protocol 3.17 that this server speaks, under the protocol's own names.
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0, in the units that initialize has agreed on
}

type lspRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string   `json:"uri"`
	Range lspRange `json:"range"`
}

type textEdit struct {
	Range   lspRange `json:"range"`
	NewText string   `json:"newText"`
}

type documentEdit struct {
	TextDocument textDocument `json:"textDocument"`
	Edits        []textEdit   `json:"edits"`
}

// workspaceEdit has one of its two members, depending on the editor's capabilities.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
	Text    string `json:"text,omitempty"`
}

// documentParams are the parameters of all messages about a text, of which each kind has some.
type documentParams struct {
	TextDocument   textDocument    `json:"textDocument"`
	Position       position        `json:"position"`
	Range          lspRange        `json:"range"`
	ContentChanges []contentChange `json:"contentChanges"`
	Context        struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type workspaceFolder struct {
	URI string `json:"uri"`
}

type initializeParams struct {
	ProcessID             *int              `json:"processId"`
	RootURI               *string           `json:"rootUri"`
	RootPath              *string           `json:"rootPath"`
	WorkspaceFolders      []workspaceFolder `json:"workspaceFolders"`
	Capabilities          capabilities      `json:"capabilities"`
	InitializationOptions json.RawMessage   `json:"initializationOptions"`
}

// capabilities are those capabilities of an editor on which answers depend.
type capabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		WorkspaceEdit struct {
			DocumentChanges bool `json:"documentChanges"`
		} `json:"workspaceEdit"`
		DidChangeWatchedFiles struct {
			DynamicRegistration    bool `json:"dynamicRegistration"`
			RelativePatternSupport bool `json:"relativePatternSupport"`
		} `json:"didChangeWatchedFiles"`
	} `json:"workspace"`
	TextDocument struct {
		Completion struct {
			CompletionItem struct {
				SnippetSupport bool `json:"snippetSupport"`
			} `json:"completionItem"`
		} `json:"completion"`
		CodeAction struct {
			CodeActionLiteralSupport *struct{} `json:"codeActionLiteralSupport"`
		} `json:"codeAction"`
	} `json:"textDocument"`
}

type contentChange struct {
	Range *lspRange `json:"range"` // nil: all of it
	Text  string    `json:"text"`
}

type foldersParams struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

type configurationParams struct {
	Settings json.RawMessage `json:"settings"`
}

type cancelParams struct {
	ID jsonrpc2.ID `json:"id"`
}

type diagnostic struct {
	Range    lspRange `json:"range"`
	Severity int      `json:"severity"`
	Code     string   `json:"code,omitempty"`
	Source   string   `json:"source"`
	Message  string   `json:"message"`
}

type publishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup    `json:"contents"`
	Range    *lspRange `json:"range,omitempty"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

// The kinds of completion items that are used.
const (
	kindFunction = 3
	kindField    = 5
	kindVariable = 6
	kindProperty = 10
	kindValue    = 12
	kindEnum     = 13
	kindKeyword  = 14
	kindSnippet  = 15
	kindRefer    = 18
)

type completionItem struct {
	Label            string    `json:"label"`
	Kind             int       `json:"kind"`
	Detail           string    `json:"detail,omitempty"`
	Documentation    *markup   `json:"documentation,omitempty"`
	SortText         string    `json:"sortText,omitempty"`
	FilterText       string    `json:"filterText,omitempty"`
	InsertTextFormat int       `json:"insertTextFormat,omitempty"` // 2: with $1 and the like
	TextEdit         *textEdit `json:"textEdit,omitempty"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
}

type documentSymbol struct {
	Name           string   `json:"name"`
	Detail         string   `json:"detail,omitempty"`
	Kind           int      `json:"kind"`
	Range          lspRange `json:"range"`
	SelectionRange lspRange `json:"selectionRange"`
}
