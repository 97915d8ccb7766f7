import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

// n8n-core keeps a key of its own in the user's home, and logs every node's error, unless told.
process.env['N8N_USER_FOLDER'] ??= path.join(tmpdir(), 'beckon-n8n');
process.env['N8N_LOG_LEVEL'] ??= 'silent';

/** Resolves packages as CommonJS does: the ES module build of n8n-workflow is for bundlers only. */
export const require = createRequire(import.meta.url);

/** The very modules that n8n's nodes use, so that its classes are the same on both sides. */
export const core = require('n8n-core') as typeof import('n8n-core');
export const n8n = require('n8n-workflow') as typeof import('n8n-workflow');
