import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkflowJson } from '../../test/engine/run-workflow.ts';

const FOLDER = path.join(import.meta.dirname, '../../examples');

/** In the order of the demo's story. */
export const EXAMPLES = [
	'deployment-steps',
	'server-metrics',
	'sale-push',
	'badge-count',
	'revenue-metric',
	'backup-timer',
	'approval',
] as const;

export type ExampleName = (typeof EXAMPLES)[number];

/** An example as a user imports it, except that its webhooks point to this machine. */
export function readExample(name: ExampleName, hooksUrl: string): WorkflowJson {
	const json = readFileSync(path.join(FOLDER, `${name}.json`), 'utf8');
	return JSON.parse(json.replaceAll('https://hooks.example.com', hooksUrl)) as WorkflowJson;
}
