import { styleText } from 'node:util';
import type { FinishedNode } from '../../test/engine/run-workflow.ts';
import type { Exchange, HookCall } from './wire.ts';

const say = (line = '') => process.stdout.write(`${line}\n`);

const bold = (words: string) => styleText('bold', words);
const dim = (words: string) => styleText('dim', words);

/** The fields of an answer worth a line; the rest is in the API documentation. */
const TOLD = [
	'operation',
	'devices_notified',
	'devices_updated',
	'devices_queued',
	'badge',
	'error',
	'message',
];

function summary(answer: Record<string, unknown>): string {
	const told = TOLD.filter((name) => answer[name] !== undefined && answer[name] !== 0);
	return told.map((name) => `${name} ${String(answer[name])}`).join(', ');
}

export function tellStart(links: { both: string; phone: string; pair: string; url: string }): void {
	say();
	say(bold('Beckon is running.'));
	say(`  Console and phone, side by side:  ${styleText('cyan', links.both)}`);
	say(`  The phone alone, already paired:  ${styleText('cyan', links.phone)}`);
	say(`  Another phone, to pair:           ${styleText('cyan', links.pair)}`);
	say(`  API documentation:                ${styleText('cyan', `${links.url}/api/docs`)}`);
	say();
	say(
		"Open the first link in a browser beside this terminal. n8n's own engine now runs the workflows of examples/.",
	);
}

export function tellWorkflow(name: string): void {
	say();
	say(bold(`▶ ${name}`));
}

/** Prints the node's output and, if it called the service, its requests and their answers. */
export function tellNode(node: FinishedNode, exchanges: readonly Exchange[]): void {
	const mark = node.error ? styleText('red', '✗') : styleText('green', '✓');
	say(`  ${mark} ${node.name} ${dim(`${node.milliseconds} ms`)}`);
	for (const { method, path, body, status, answer } of exchanges) {
		say(dim(`      → ${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`));
		say(dim(`      ← ${status} ${summary(answer)}`));
	}
	if (node.error) say(styleText('red', `      ${node.error.message}`));
}

export function tellHook({ path, body }: HookCall): void {
	say(styleText('magenta', `  ☎ A button called the webhook ${path} with ${JSON.stringify(body)}`));
}

export function tellPrompt(words: string): void {
	say(styleText('yellow', `  ☞ ${words}`));
}

export function tellCheck(what: string): void {
	say(`  ${styleText('green', '✓')} ${what}`);
}

export function tellEnd(words: string): void {
	say();
	say(bold(words));
}
