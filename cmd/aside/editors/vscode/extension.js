// Starts `aside lsp` for rule files and rule tests. The server leaves other files alone.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

/** @type {LanguageClient | undefined} */
let client;

async function start() {
  const command = vscode.workspace.getConfiguration('aside').get('command', 'aside');
  client = new LanguageClient(
    'aside',
    'aside',
    { command, args: ['lsp'] },
    {
      documentSelector: [
        { scheme: 'file', language: 'aside-rule' },
        { scheme: 'file', language: 'aside-yaml' },
        { scheme: 'file', pattern: '**/reminders/**/*.{md,yaml,yml}' },
        { scheme: 'file', pattern: '**/*_test.{yaml,yml}' },
      ],
    },
  );
  try {
    await client.start();
  } catch (e) {
    client = undefined;
    vscode.window.showErrorMessage(`${command} lsp does not start (${e}): install aside, or set aside.command`);
  }
}

/** @param {vscode.ExtensionContext} context */
exports.activate = async (context) => {
  const restart = async () => {
    await exports.deactivate();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('aside.restart', restart),
    vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration('aside.command') && restart()),
  );
  await start();
};

exports.deactivate = async () => {
  await client?.stop();
  client = undefined;
};
