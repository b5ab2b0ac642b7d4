package lsp

// watchParent ends the conversation when the editor's process does.
func (s *Server) watchParent(pid int) {}
