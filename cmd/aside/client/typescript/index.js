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

/**
 * A child process with a life: starting, ready, failed for a reason, or closed. It never leaves a promise open:
 * whatever becomes of the process, all who wait are told. What it writes are lines of JSON; one with `event` answers
 * nothing.
 */
class Child {
  #process;
  #waiting = [];
  #said = '';
  #onFail;
  state = 'starting';
  reason = undefined; // why it failed

  constructor(command, args, { env, onEvent = () => {}, onFail = () => {} }) {
    this.#onFail = onFail;
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: env ?? process.env });
    this.ended = new Promise((done) => this.#process.once('close', done).once('error', done));
    this.#process.stderr.on('data', (text) => (this.#said = (this.#said + text).slice(-4000)));
    this.#process.stdin.on('error', () => {}); // close says it
    this.#process.on('error', (e) => this.fail(`${command} cannot be started: ${e.message}`));
    this.#process.on('close', (code, signal) => this.fail(`${command} ${args[0]} has ended (${signal ?? code}): ${this.#said.trim()}`));
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      let told;
      try {
        told = JSON.parse(line);
      } catch {
        return this.fail(`${command} ${args[0]} says what is no JSON: ${line.slice(0, 200)}`);
      }
      if (told?.event) onEvent(told);
      else this.#waiting.shift()?.(told);
      this.hold();
    });
    this.hold();
  }

  get pid() {
    return this.#process.pid;
  }

  /** Ends its life, and tells all who wait. */
  fail(reason, errors = [reason]) {
    if (this.state === 'failed' || this.state === 'closed') return;
    this.state = 'failed';
    this.reason = new AsideError(errors);
    this.#process.kill('SIGKILL');
    for (const settle of this.#waiting.splice(0)) settle(undefined, this.reason);
    this.hold();
    this.#onFail(this.reason);
  }

  /** This process lives on for it while somebody waits for it. */
  hold() {
    this.#keep(this.#waiting.length > 0 || this.state === 'starting' ? 'ref' : 'unref');
  }

  #keep(how) {
    if (this.#process.pid === undefined) return; // it was never started, and Deno has nothing to let go
    for (const it of [this.#process, this.#process.stdin, this.#process.stdout, this.#process.stderr]) it?.[how]?.();
  }

  /** Writes a line, and returns its answer. An answer that comes too late is read over. */
  ask(line, { timeout, signal }) {
    return new Promise((resolve, reject) => {
      if (this.state === 'failed') return reject(this.reason);
      if (this.state === 'closed') return reject(new AsideError(['the client is closed']));
      if (signal?.aborted) return reject(signal.reason);
      const done = (how, what) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        how(what);
      };
      const abort = () => done(reject, signal.reason);
      const late = () => done(reject, Object.assign(new AsideError([`no answer within ${timeout} ms`]), { late: true }));
      const timer = timeout > 0 ? setTimeout(late, timeout) : undefined;
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push((answer, error) => (error ? done(reject, error) : done(resolve, answer)));
      this.hold();
      this.#process.stdin.write(JSON.stringify(line) + '\n');
    });
  }

  /** Ends with the end of its stdin, or by force when it does not. */
  async close(grace = 5000) {
    if (this.state !== 'failed') {
      this.state = 'closed';
      this.#onFail(new AsideError(['the client is closed']));
    }
    for (const settle of this.#waiting.splice(0)) settle(undefined, new AsideError(['the client is closed']));
    this.#process.stdin.end();
    this.#keep('ref');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), grace);
    if (this.#process.exitCode === null && this.#process.signalCode === null && this.#process.pid !== undefined) await this.ended;
    clearTimeout(timer);
    this.#keep('unref');
  }
}

/** The co-process `aside eval`. */
class Lines {
  #options;
  #child;
  #opened;
  #closed = false;
  rules = [];
  diagnostics = [];

  constructor(options) {
    this.#options = options;
    this.#start();
  }

  #start() {
    const [command, args] = started(this.#options, 'eval');
    this.#opened = new Promise((resolve, reject) => {
      const child = (this.#child = new Child(command, [...args, '--events'], {
        env: this.#options.env,
        onFail: reject,
        onEvent: (event) => {
          this.#told(child, event);
          if (child.state === 'ready') resolve();
        },
      }));
      const { timeout = 5000 } = this.#options;
      if (timeout > 0) setTimeout(() => child.state === 'starting' && child.fail(`${command} eval is not ready within ${timeout} ms`), timeout).unref();
    });
    this.#opened.catch(() => {}); // who asks is told
  }

  /** Takes in what the co-process says of its rules. */
  #told(child, event) {
    if (event.event === 'rules') {
      this.rules = event.rules ?? [];
      this.diagnostics = event.diagnostics ?? [];
    }
    const errors = this.diagnostics.filter((d) => d.severity === 'error');
    if (child.state === 'starting' && errors.length > 0 && !this.#options.lenient) {
      child.fail('the rules have errors', errors.map(written));
      return;
    }
    const began = child.state === 'starting';
    if (began) child.state = 'ready';
    child.hold();
    const tell = this.#options.onRules ?? ((e) => (e.diagnostics ?? []).forEach((d) => console.warn(`aside: ${written(d)}`)));
    if (!began || this.diagnostics.length > 0 || this.#options.onRules) tell(event);
  }

  get state() {
    return this.#closed ? 'closed' : this.#child.state;
  }

  get pid() {
    return this.#child.pid;
  }

  async ready() {
    if (this.#closed) throw new AsideError(['the client is closed']);
    if (this.#options.restart && this.#child.state === 'failed') this.#start();
    await this.#opened;
  }

  async ask(run, line, { timeout = this.#options.timeout ?? 5000, signal } = {}) {
    await this.ready();
    const child = this.#child;
    try {
      return await child.ask({ protocol, run, ...line }, { timeout, signal });
    } catch (e) {
      if (e.late && this.#options.restart) child.fail(e.message); // the next call starts another
      throw e;
    }
  }

  decide = (run, turn, how) => this.ask(run, turn, how);
  remind = (run, id, how) => this.ask(run, { queue: [id] }, how);
  why = (run, id, how) => this.ask(run, { why: id ?? true }, how);

  close() {
    this.#closed = true;
    return this.#child.close();
  }
}

/** A diagnostic in a line. */
function written(d) {
  return `${d.file}:${d.line}:${d.column}: ${d.severity}[${d.code}]: ${d.message}${d.hint ? ` (${d.hint})` : ''}`;
}

/** The evaluation API of a server. */
class Service {
  #url;
  #headers;
  #timeout;
  state = 'ready';
  rules = [];
  diagnostics = [];

  constructor({ url, token, timeout = 5000 }) {
    this.#url = url.replace(/\/$/, '');
    this.#timeout = timeout;
    this.#headers = { 'content-type': 'application/json', ...(token && { 'x-aside-token': token }) };
  }

  async ready() {}

  async ask(run, path, method, body, { timeout = this.#timeout, signal } = {}) {
    if (this.state === 'closed') throw new AsideError(['the client is closed']);
    if ([undefined, null, '', '.', '..'].includes(run)) throw new AsideError(['run: the evaluation API takes runs with a name, and not . or ..']);
    const late = timeout > 0 ? AbortSignal.timeout(timeout) : undefined;
    const either = AbortSignal.any([signal, late].filter(Boolean));
    let response, answer;
    try {
      response = await fetch(`${this.#url}/v1/runs/${encodeURIComponent(run)}${path}`, { method, body, headers: this.#headers, signal: either });
      answer = await response.json();
    } catch (e) {
      if (signal?.aborted) throw signal.reason;
      if (late?.aborted) throw new AsideError([`no answer within ${timeout} ms`]);
      const why = response ? `status ${response.status}` : (e.cause?.message ?? e.message);
      throw new AsideError([`${this.#url} does not answer as asided serve does: ${why}`]);
    }
    if (!response.ok) throw new AsideError(answer.errors ?? [answer.detail ?? answer.title]);
    return answer;
  }

  decide = (run, turn, how) => this.ask(run, '/turns', 'POST', JSON.stringify({ protocol, ...turn }), how);
  remind = async (run, id, how) => (await this.ask(run, `/remind/${encodeURIComponent(id)}`, 'POST', undefined, how), { errors: [] });
  why = async (run, id, how) => ({ errors: [], why: await this.ask(run, '/why' + (id ? `?id=${encodeURIComponent(id)}` : ''), 'GET', undefined, how) });

  async close() {
    this.state = 'closed';
  }
}

export class Aside {
  #way;

  constructor(options = {}) {
    this.#way = options.url ? new Service(options) : new Lines(options);
  }

  /** A client that is ready, or why there is none. */
  static async open(options) {
    const aside = new Aside(options);
    await aside.ready();
    return aside;
  }

  get state() {
    return this.#way.state;
  }

  get pid() {
    return this.#way.pid;
  }

  get rules() {
    return this.#way.rules;
  }

  get diagnostics() {
    return this.#way.diagnostics;
  }

  ready() {
    return this.#way.ready();
  }

  async decide(run, turn = {}, how) {
    return checked(await this.#way.decide(run, turn, how));
  }

  async request(run, request, { timeout, signal, ...more } = {}) {
    const answer = await this.#way.decide(run, { ...more, request }, { timeout, signal });
    return answer.request ? answer : checked(answer); // a request that could not be changed goes out as it is
  }

  async remind(run, id, how) {
    checked(await this.#way.remind(run, id, how));
  }

  async why(run, id, how) {
    return checked(await this.#way.why(run, id, how)).why;
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

/** Starts `aside serve` on this machine, before the model APIs. It ends with its stdin, so with this process. */
export async function serve(options = {}) {
  const upstreams = { ...vendors, ...options.upstream };
  const { timeout = 5000 } = options;
  const dir = await mkdtemp(join(tmpdir(), 'aside-'));
  const file = join(dir, 'addr');
  const [command, args] = started(options, 'serve');
  args.push('--listen', '127.0.0.1:0', '--addr-file', file, '--until-stdin-ends');
  for (const [name, url] of Object.entries(options.upstream ?? {})) args.push('--upstream', `${name}=${url}`);
  const child = new Child(command, args, { env: options.env });
  const close = async () => {
    await child.close();
    await rm(dir, { recursive: true, force: true });
  };
  const late = Date.now() + timeout;
  let address = '';
  while (!(address = await readFile(file, 'utf8').catch(() => ''))) {
    if (timeout > 0 && Date.now() > late) child.fail(`${command} serve does not listen within ${timeout} ms`);
    if (child.state === 'failed') {
      await close();
      throw child.reason;
    }
    await pause(10);
  }
  child.state = 'ready';
  child.hold();
  const url = `http://${address.trim()}`;
  return {
    url,
    get state() {
      return child.state;
    },
    get pid() {
      return child.pid;
    },
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
    close,
    [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]: close,
  };
}
