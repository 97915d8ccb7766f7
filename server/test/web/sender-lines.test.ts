import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { NO_KEY, senderLines } from '../../web/console/sender-lines.ts';

const DOCS = ['senders.md', 'agents.md']
	.map((name) => readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8'))
	.join('\n');

describe('the lines to paste into a sender', () => {
	const lines = senderLines({
		origin: 'https://beckon.example.com',
		key: NO_KEY,
		channel: 'ops',
	});

	it.each(lines.map((entry) => [entry.program, entry.lines]))(
		'are in the documentation as the console shows them: %s',
		(_program, text) => {
			expect(DOCS).toContain(text);
		},
	);

	it('use the scheme of the server’s address', () => {
		const home = senderLines({ origin: 'http://nas.lan:8787', key: 'bs_x', channel: 'ops' });
		expect(home.map((entry) => entry.lines)).toContain('ntfy://beckon:bs_x@nas.lan:8787/ops');
	});
});
