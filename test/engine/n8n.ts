import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

// Unless told otherwise, n8n-core keeps its own key in the user's home and logs every node's error.
process.env['N8N_USER_FOLDER'] ??= path.join(tmpdir(), 'beckon-n8n');
process.env['N8N_LOG_LEVEL'] ??= 'silent';

/** Resolves packages as CommonJS does: n8n-workflow's ES module build is for bundlers only. */
export const require = createRequire(import.meta.url);

/** The same modules that n8n's nodes use, so both sides share its classes. */
export const core = require('n8n-core') as typeof import('n8n-core');
export const n8n = require('n8n-workflow') as typeof import('n8n-workflow');
