import type { AgentMiddleware } from 'langchain';
import type { BaseMessage } from '@langchain/core/messages';
import type { Aside } from './index.js';

/** Middleware for createAgent of LangChain. Without a name the run is found by the conversation. */
export function reminders(aside: Aside, options?: { run?: string }): AgentMiddleware;

/** The messages to send in place of those of a graph's state, which stay as they are. */
export function withReminders(aside: Aside, messages: BaseMessage[], options?: { run?: string }): Promise<BaseMessage[]>;
