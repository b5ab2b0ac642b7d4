// A client of aside: over `aside eval` as a child process, or over the evaluation API of `asided serve`.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

export const protocol = 1;

/** All that is wrong with a line, or that keeps it from being answered. */
export class AsideError extends Error {
  constructor(errors) {
    super(errors.join('; '));
    this.name = 'AsideError';
    this.errors = errors;
  }
}

/** The program: that of the options, else $ASIDE_COMMAND, else that of the package @aside/cli, else `aside`. */
export function program({ command } = {}) {
  return command ?? process.env.ASIDE_COMMAND ?? packaged() ?? 'aside';
}

/** The program and its arguments. */
function started(options, command) {
  const flags = [];
  for (const rules of [options.rules ?? []].flat()) flags.push('--rules', rules);
  if (options.project !== undefined) flags.push('--project', options.project);
  if (options.state !== undefined) flags.push('--state', options.state);
  for (const v of options.vars ?? []) flags.push('--var', v);
  return [program(options), [command, ...flags]];
}

/** The program that the package @aside/cli carries. */
function packaged() {
  try {
    return createRequire(import.meta.url)('@aside/cli').command;
  } catch {
    return undefined; // it is not installed
  }
}

/** A child process `aside eval`: lines in, lines out, in order. */
class Lines {
  #child;
  #waiting = [];
  #trouble = '';

  constructor(options) {
    const [command, args] = started(options, 'eval');
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: options.env ?? process.env });
    this.#child.stderr.on('data', (text) => (this.#trouble = (this.#trouble + text).slice(-4000)));
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#waiting.shift()?.resolve(JSON.parse(line));
      this.#hold();
    });
    const ended = (why) => this.#waiting.splice(0).forEach((w) => w.reject(new AsideError([`${why}: ${this.#trouble.trim()}`])));
    this.#child.on('error', (e) => ended(`${command} cannot be started: ${e.message}`));
    this.#child.on('close', (code) => ended(`${command} eval has ended (${code})`));
    this.#child.stdin.on('error', () => {}); // close says it
    this.#hold();
  }

  /** The child keeps this process alive only while an answer is awaited. */
  #hold() {
    const how = this.#waiting.length > 0 ? 'ref' : 'unref';
    for (const it of [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr]) it[how]?.();
  }

  ask(run, line) {
    return new Promise((resolve, reject) => {
      if (this.#child.exitCode !== null || this.#child.killed) return reject(new AsideError(['aside eval has ended']));
      this.#waiting.push({ resolve, reject });
      this.#hold();
      this.#child.stdin.write(JSON.stringify({ protocol, run, ...line }) + '\n');
    });
  }

  decide = (run, turn) => this.ask(run, turn);
  remind = (run, id) => this.ask(run, { queue: [id] });
  why = (run, id) => this.ask(run, { why: id ?? true });

  async close() {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await new Promise((done) => this.#child.ref() || this.#child.once('close', done));
  }
}

/** The evaluation API of a server. */
class Service {
  #url;
  #headers;

  constructor({ url, token }) {
    this.#url = url.replace(/\/$/, '');
    this.#headers = { 'content-type': 'application/json', ...(token && { 'x-aside-token': token }) };
  }

  async ask(run, path, method, body) {
    if (!run) throw new AsideError(['run: the evaluation API takes runs with a name']);
    let response, answer;
    try {
      response = await fetch(`${this.#url}/v1/runs/${encodeURIComponent(run)}${path}`, { method, body, headers: this.#headers });
      answer = await response.json();
    } catch (e) {
      const why = response ? `status ${response.status}` : (e.cause?.message ?? e.message);
      throw new AsideError([`${this.#url} does not answer as asided serve does: ${why}`]);
    }
    if (!response.ok) throw new AsideError(answer.errors ?? [answer.detail ?? answer.title]);
    return answer;
  }

  decide = (run, turn) => this.ask(run, '/turns', 'POST', JSON.stringify({ protocol, ...turn }));
  remind = async (run, id) => (await this.ask(run, `/remind/${encodeURIComponent(id)}`, 'POST'), { errors: [] });
  why = async (run, id) => ({ errors: [], why: await this.ask(run, '/why' + (id ? `?id=${encodeURIComponent(id)}` : ''), 'GET') });
  async close() {}
}

export class Aside {
  #way;

  constructor(options = {}) {
    this.#way = options.url ? new Service(options) : new Lines(options);
  }

  async decide(run, turn = {}) {
    return checked(await this.#way.decide(run, turn));
  }

  async request(run, request, more = {}) {
    const answer = await this.#way.decide(run, { ...more, request });
    return answer.request ? answer : checked(answer); // a request that could not be changed goes out as it is
  }

  async remind(run, id) {
    checked(await this.#way.remind(run, id));
  }

  async why(run, id) {
    return checked(await this.#way.why(run, id)).why;
  }

  close() {
    return this.#way.close();
  }

  [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    return this.close();
  }
}

/** Errors beside firings are of single texts, and the others are good. */
function checked(answer) {
  if (answer.errors.length > 0 && !answer.fired?.length && !answer.kept?.length) throw new AsideError(answer.errors);
  return answer;
}

const vendors = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
};

/** Starts `aside serve` on this machine, before the model APIs. */
export async function serve(options = {}) {
  const upstreams = { ...vendors, ...options.upstream };
  const dir = await mkdtemp(join(tmpdir(), 'aside-'));
  const file = join(dir, 'addr');
  const [command, args] = started(options, 'serve');
  args.push('--listen', '127.0.0.1:0', '--addr-file', file);
  for (const [name, url] of Object.entries(options.upstream ?? {})) args.push('--upstream', `${name}=${url}`);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: options.env ?? process.env });
  let trouble = '';
  let failed;
  child.stderr.on('data', (text) => (trouble = (trouble + text).slice(-4000)));
  child.on('error', (e) => (failed = e.message));
  const kill = () => child.kill();
  process.once('exit', kill);
  let address = '';
  while (!(address = await readFile(file, 'utf8').catch(() => ''))) {
    if (failed || child.exitCode !== null) {
      process.off('exit', kill);
      await rm(dir, { recursive: true });
      throw new AsideError([`${command} serve: ${failed ?? trouble.trim()}`]);
    }
    await pause(10);
  }
  child.unref();
  child.stderr.unref();
  const url = `http://${address.trim()}`;
  return {
    url,
    fetch: (run) => (input, init) => {
      const request = new Request(input, init);
      for (const [name, base] of Object.entries(upstreams)) {
        if (!request.url.startsWith(base.replace(/\/?$/, '/'))) continue;
        const through = new Request(`${url}/${name}${request.url.slice(base.replace(/\/$/, '').length)}`, request);
        if (run) through.headers.set('x-aside-run', run);
        return fetch(through);
      }
      return fetch(request); // to nobody that aside knows
    },
    async close() {
      process.off('exit', kill);
      const ended = new Promise((done) => child.once('close', done));
      child.ref();
      if (child.exitCode === null && child.kill()) await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
