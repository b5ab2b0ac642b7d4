import type { Aside } from './index.js';

/**
 * Middleware for wrapLanguageModel of the AI SDK. One belongs to one run; without a name the run is found by the
 * conversation, and the tokens of responses are not known.
 */
export function reminders(aside: Aside, options?: { run?: string }): {
  specificationVersion: 'v3';
  transformParams(options: any): Promise<any>;
  wrapGenerate(options: any): Promise<any>;
  wrapStream(options: any): Promise<any>;
};
