#!/usr/bin/env node
// Runs the program of the package for this platform.
const { command } = require('./command.js');

const args = process.argv.slice(2);
if (process.execve) process.execve(command, ['aside', ...args], process.env);
const { spawn } = require('node:child_process');
const child = spawn(command, args, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (e) => {
  console.error(`aside: ${e.message}`);
  process.exit(3);
});
child.on('exit', (code, signal) => {
  if (signal) process.removeAllListeners(signal).kill(process.pid, signal);
  else process.exit(code);
});
