import { createRequire } from 'node:module';
import path from 'node:path';

import type { INodeType, NodeHelpers } from 'n8n-workflow';

import { requestTable } from './lib/request-table.ts';
import { writeSection } from './lib/write-section.ts';

/** Writes the table of docs/node-requests.md from the built node. */

const require = createRequire(import.meta.url);

const { Beckon } = require('../dist/nodes/Beckon/Beckon.node.js') as {
	Beckon: new () => INodeType;
};
const n8n = require('n8n-workflow') as { NodeHelpers: typeof NodeHelpers };

writeSection(
	path.join(import.meta.dirname, '../docs/node-requests.md'),
	'requests',
	requestTable(new Beckon().description, n8n.NodeHelpers.displayParameter),
);
