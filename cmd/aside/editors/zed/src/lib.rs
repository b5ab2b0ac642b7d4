//! Starts `aside lsp`, which tells rule files from other Markdown and YAML by itself.

use zed_extension_api::{self as zed, LanguageServerId, Result};

struct Aside;

impl zed::Extension for Aside {
    fn new() -> Self {
        Aside
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &zed::Worktree) -> Result<zed::Command> {
        let command = worktree
            .which("aside")
            .ok_or("aside is not in the PATH: install it, for example with npm install -g @aside/cli")?;
        Ok(zed::Command { command, args: vec!["lsp".into()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Aside);
