import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { HANDED_OVER } from '../../src/delivery/gateway.ts';
import { createLogger } from '../../src/log.ts';
import { callbacks } from '../../src/service/questions/callbacks.ts';
import { settleDue } from '../support/later.ts';
import { startReceiver } from '../support/receiver.ts';
import { UNLIMITED } from '../support/samples.ts';
import { startTestServer } from '../support/server.ts';

/** Fewer than an operator reads with coffee. */
const MOST_LINES = 100;

const HOURS = 24;

describe('a day of traffic without an attack', () => {
	it('makes few lines at `info`, with sums and without content or secrets', async () => {
		const lines: string[] = [];
		const logger = createLogger(
			{ BECKON_LOG_LEVEL: 'info' },
			{ write: (line) => void lines.push(line) },
		);
		const workflow = await startReceiver();
		const settings = { ...UNLIMITED, BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' };
		const server = await startTestServer({ settings, logger });
		const { context, clock, phone } = server;
		const log = context.operatorLog!;
		const statuses: number[] = [];
		for (let hour = 0; hour < HOURS; hour += 1) {
			for (let minute = 0; minute < 60; minute += 10) {
				clock.advance(600);
				const push = { title: 'private words', message: 'more private words' };
				statuses.push((await server.call('POST', '/push-notification', push)).status);
				// What push services answer: one fails now and then, one phone cannot take it.
				for (const gateway of ['apns', 'web_push']) {
					log.attempted({ gateway, phone: phone.id, outcome: HANDED_OVER });
					const outcome = { kind: 'retry', reason: 'timeout' } as const;
					if (minute === 30) log.attempted({ gateway, phone: phone.id, outcome });
					const refused = { kind: 'refused', reason: 'PayloadTooLarge' } as const;
					if (hour % 6 === 0) log.attempted({ gateway, phone: phone.id, outcome: refused });
				}
			}
			const invalid = await server.call('POST', '/push-notification', { title: 7 });
			const { body } = await server.call('POST', '/questions', {
				title: 'private question',
				choices: [{ id: 'yes', title: 'Approve' }],
				callback: { url: `${workflow.url}/private-path` },
			});
			const answer = { tap_id: randomUUID(), choice: 'yes' };
			await phone.call('POST', `/questions/${String(body['question_id'])}/answer`, answer);
			await settleDue(context, callbacks);
			statuses.push(invalid.status);
			if (hour === 9) await server.call('GET', '/channels', undefined, { key: 'bk_mistyped' });
			log.logSums();
		}
		expect(statuses.filter((status) => status === 200)).toHaveLength(HOURS * 6);
		expect(workflow.received).toHaveLength(HOURS);
		await workflow.close();
		await server.close();
		expect(lines.length).toBeLessThanOrEqual(MOST_LINES);
		expect(lines.filter((line) => line.includes('in the last hour'))).toHaveLength(HOURS);
		expect(lines.filter((line) => line.includes('key refused'))).toHaveLength(1);
		const secrets = [server.account.key, phone.token, 'bk_mistyped', 'private'];
		for (const secret of secrets) expect(lines.join('')).not.toContain(secret);
		expect(JSON.parse(lines.at(-1)!)).toMatchObject({
			'apns handed_over': 6,
			'apns retry': 1,
			'callbacks delivered': 1,
		});
	});
});
