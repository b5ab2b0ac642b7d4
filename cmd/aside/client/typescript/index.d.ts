/** The version of the protocol that this client speaks. `aside schema eval` prints its JSON Schema. */
export const protocol: 1;

/**
 * What is known of a turn, by name, as `aside help facts` lists it; a fact that is left out, or 'unknown', is unknown.
 * Numbers may be texts with a unit: '75%', '20k', '$2.50'.
 */
export interface Facts {
  context_usage?: number | string;
  context_tokens?: number | string;
  context_window?: number | string;
  last_response_tokens?: number | string;
  output_tokens?: number | string;
  cost?: number | string;
  message_count?: number | string;
  turn_count?: number | string;
  user_turn_count?: number | string;
  started?: boolean | 'unknown';
  user_message?: boolean | 'unknown';
  tool_used?: string | string[];
  command?: string | string[];
  path?: string | string[];
  written?: string | string[];
  output?: string | string[];
  last_tool_call_failed?: boolean | 'unknown';
  tool_calls?: number | string;
  identical_calls?: number | string;
  failures_in_row?: number | string;
  compacted?: boolean | 'unknown';
  resumed?: boolean | 'unknown';
  prompt?: string;
  response?: string;
  thread_type?: string;
  mode?: string;
  model?: string;
  provider?: string;
  cwd?: string;
  branch?: string;
  hour?: number | string;
  weekday?: string;
  elapsed?: string;
  idle?: string;
  /** Calls since the turn before. `tools` and `failed` are for hosts that know names alone. */
  calls?: Call[] | 'unknown';
  tools?: string[] | 'unknown';
  failed?: string[] | 'unknown';
  /** Facts of your own, declared with `vars`. */
  vars?: Record<string, unknown>;
}

export interface Call {
  tool: string;
  class?: string;
  command?: string;
  path?: string | string[];
  subject?: string;
  written?: string | string[];
  input?: Record<string, unknown> | null;
  output?: string;
  failed?: boolean | null | 'unknown';
  duration?: string | null;
}

/** What happened since the turn before: one member each. */
export type Event =
  | { user_message: string }
  | { call: Call }
  | { response: { text?: string; tokens?: number; context_tokens?: number } }
  | { compacted: true }
  | { resumed: true };

/** A turn: a model call, or a moment beside it. */
export interface Turn {
  facts?: Facts;
  /** What happened, in order, in place of the facts that follow from it. */
  events?: Event[];
  /** Names the turn, in at most 256 bytes: the same key again gets the same decision; asided refuses it with another turn. */
  key?: string;
  /** Reminders to fire by hand. */
  remind?: string | string[];
  /** When the turn is, as RFC 3339; left out: now. */
  at?: string;
  /** A further part of the turn before. */
  more?: boolean;
  /** The moment before this call is executed. */
  before?: Call;
  /** The moment before the agent ends its work. */
  stopping?: boolean;
  /** Decide and store nothing: the decision has `prepared`. */
  prepare?: boolean;
  /** The value of `prepared`: store that decision and no other. */
  commit?: string;
  /** The name of the agent, for the records of outcomes. */
  agent?: string;
}

export interface Fired {
  id: string;
  text: string;
  priority: number;
  tier: 'guidance' | 'correctness' | 'safety';
  attach: 'tail' | 'user_turn' | 'run_start';
  keep: string;
  manual: boolean;
  /** The text must not be sent. */
  held_out?: true;
}

export interface Decision {
  fired: Fired[];
  /** Ids of reminders that fired earlier and are still due. */
  kept: string[];
  /** Ids of reminders that ask to hold the call back. */
  paused?: string[];
  outcomes?: { id: string; outcome: 'heeded' | 'ignored' | 'open'; after?: number; held_out?: boolean }[];
  rules?: string;
  errors: string[];
  prepared?: string;
}

export interface Copy<R> extends Decision {
  /** What to send in place of the request. Nothing of it goes into the history. */
  request: R;
  /** A value that the header anthropic-beta must list. */
  beta?: string;
}

export type API = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'converse' | 'messages';

export interface Why {
  run: string;
  turn: number;
  at: string;
  reminders: { id: string; fired: boolean; manual: boolean; why: string; next: string; fires: number; [more: string]: unknown }[];
}

export interface Options {
  /** Rule files, directories or globs in place of those of the home directory. */
  rules?: string | string[];
  /** The project whose trusted rules are read, too. */
  project?: string;
  /** Where runs are remembered: a directory, `memory`, or the URL of a database. */
  state?: string;
  /** Facts of your own: `NAME:TYPE[:KIND]`. */
  vars?: string[];
  /** The program; by default $ASIDE_COMMAND, else that of the package @aside/cli, else `aside`. */
  command?: string;
  /** Nothing waits longer: milliseconds, 5000 unless given; 0 is for ever. */
  timeout?: number;
  /** Use the rules that are good where others have errors; else the first call fails, with the errors. */
  lenient?: boolean;
  /** A co-process that has died, or does not answer, is started again by the next call. */
  restart?: boolean;
  /** Is told which rules there are and what is wrong with them, at the start and whenever they change. By default what is wrong is written to the console. */
  onRules?(event: RulesEvent): void;
  env?: NodeJS.ProcessEnv | Record<string, string | undefined>;
}

export interface Diagnostic {
  file: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  severity: 'error' | 'warning' | 'info';
  code: string;
  message: string;
  hint: string;
}

export interface RulesEvent {
  /** `unwatched`: changes of their files are not seen any more. */
  event: 'rules' | 'unwatched';
  rules?: string[];
  diagnostics?: Diagnostic[];
  /** How many files of a project are not read, since nobody has trusted them. */
  untrusted?: number;
  why?: string;
}

/** How one call waits: at most so many milliseconds, and until the signal says that nobody waits any more. */
export interface Waiting {
  timeout?: number;
  signal?: AbortSignal;
}

/** The life of a client: what has failed says why to each call. */
export type State = 'starting' | 'ready' | 'failed' | 'closed';

/** The program that is run: `command`, else $ASIDE_COMMAND, else that of the package @aside/cli, else `aside`. */
export function program(options?: { command?: string }): string;

/** A client over a child process `aside eval`, or, with `url`, over the evaluation API of `asided serve`. */
export class Aside {
  constructor(options?: (Options & { url?: undefined }) | { url: string; token?: string; timeout?: number });
  /** A client that is ready; the promise fails where there is none: no program, rules with errors, no answer. */
  static open(options?: ConstructorParameters<typeof Aside>[0]): Promise<Aside>;
  readonly state: State;
  /** The co-process, where there is one. */
  readonly pid?: number;
  /** The ids of the rules that are in use, and what is wrong with them. */
  readonly rules: string[];
  readonly diagnostics: Diagnostic[];
  ready(): Promise<void>;
  /** Decides a turn. It is stored before the answer comes; the same `key` again gets the same answer. */
  decide(run: string | undefined, turn?: Turn, how?: Waiting): Promise<Decision>;
  /** The copy of a model request that is to be sent, with the whole history in it. Without a run, the run is found by the conversation. */
  request<R extends object>(run: string | undefined, request: R, more?: { api?: API; facts?: Facts; remind?: string | string[]; at?: string } & Waiting): Promise<Copy<R>>;
  /** Fires by hand on the run's next turn. */
  remind(run: string | undefined, id: string, how?: Waiting): Promise<void>;
  /** Why each reminder, or that of an id, fired or did not on the run's last turn. */
  why(run: string, id?: string, how?: Waiting): Promise<Why>;
  /** Ends the co-process. Who waits is told. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What `aside` refused, or why it did not answer. */
export class AsideError extends Error {
  errors: string[];
}

export interface Server {
  /** Where it listens: a base URL for SDKs, with /v1 behind it for those of OpenAI. */
  url: string;
  readonly state: State;
  readonly pid?: number;
  /** A fetch whose requests to the model APIs go through the server, as those of a run. */
  fetch(run?: string): typeof fetch;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts `aside serve` on this machine, before the model APIs. It ends with its stdin, so with this process, whatever that dies of. */
export function serve(options?: Options & { upstream?: Partial<Record<'anthropic' | 'openai' | 'gemini' | 'vertex' | 'bedrock', string>> }): Promise<Server>;
