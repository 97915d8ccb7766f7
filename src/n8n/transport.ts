import { sleep } from 'n8n-workflow';

import { Transport } from '../rules/transport';
import type { Clock } from '../rules/wait';

/** A community node has no timers of its own. */
export const systemClock: Clock = { now: () => Date.now(), sleep };

/** One per n8n process: all nodes, workflows and executions share what is left of a key's allowance. */
export const transport = new Transport(systemClock);
