/** Hooks for `options.hooks` of the Claude Agent SDK. */
export function hooks(options?: { command?: string; env?: NodeJS.ProcessEnv }): Record<string, { hooks: ((input: any) => Promise<any>)[] }[]>;
