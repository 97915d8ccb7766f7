import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntryDetail } from '../../src/contract/console/history.ts';
import type { ConsoleDevice, ConsoleKey } from '../../src/contract/console/resources.ts';
import { changeAccount, findAccount } from '../../src/service/accounts/accounts.ts';
import { type Console, signedIn } from '../console/support/console.ts';
import {
	type Bench,
	deliveriesOf,
	type Iphone,
	pairIphone,
	startBench,
} from '../gateways/support/phones.ts';
import { freePort } from '../support/free-port.ts';
import { runCli } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Answer } from '../support/server.ts';

let bench: Bench;
let owner: Console;
let iphone: Iphone;
beforeEach(async () => {
	bench = await startBench();
	owner = await signedIn(bench.server);
	iphone = await pairIphone(bench.server);
	await bench.server.addChannel('ops', { devices: [iphone.id] });
});
afterEach(() => bench.close());

const push = (body: object = {}) =>
	bench.server.call('POST', '/push-notification', {
		title: 'Order',
		target: { channels: ['ops'] },
		...body,
	});

async function command(...args: string[]): Promise<string> {
	const { account, store } = bench.server;
	const all = [...args, '--account', account.id, '--data', store.directory];
	const { code, stdout, stderr } = await runCli(all);
	expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
	return stdout;
}

/**
 * What an author reads once no attempt is under way: with the id from the answer, the entry on the command
 * line and in the console.
 */
async function readAbout({ headers }: Answer) {
	await deliveriesOf(bench, iphone);
	const id = String(headers['beckon-history-id']);
	const { body } = await owner.call('GET', `/history/${id}`);
	return { shown: await command('history', 'show', id), entry: body as unknown as EntryDetail };
}

/** The phone's row, in the console and on the command line. */
async function rowOfPhone(id = iphone.id) {
	const { body } = await owner.call('GET', `/devices?id=${id}`);
	const [device] = body['devices'] as ConsoleDevice[];
	const lines = (await command('device', 'list')).split('\n');
	return { device: device!, line: lines.find((line) => line.startsWith(id)) };
}

/** The key's row, in the console and on the command line. */
async function rowOfKey() {
	await bench.server.context.requests.flush();
	const { body } = await owner.call('GET', '/keys');
	const [key] = body as unknown as ConsoleKey[];
	return { key: key!, lines: await command('key', 'list') };
}

const deliveryIn = (entry: EntryDetail) => entry.lifecycle[0]!.deliveries[0];

describe('a push that did not arrive', () => {
	it('went to another channel', async () => {
		await bench.server.addChannel('night', { devices: [bench.server.phone.id] });
		const { shown, entry } = await readAbout(await push({ target: { channels: ['night'] } }));
		expect(shown).toContain(', for night');
		expect(shown).not.toContain(iphone.id);
		expect(entry).toMatchObject({
			channels: ['night'],
			lifecycle: [{ deliveries: [{ device: 'Phone' }] }],
		});
		expect((await rowOfPhone()).device.channels).toEqual(['ops']);
	});

	it('went to a channel that the phone has muted', async () => {
		await iphone.call('PUT', '/channels/ops', { muted: true });
		const { shown, entry } = await readAbout(await push());
		expect(shown).toMatch(/iPhone \d+: muted\n +The phone has muted every channel/);
		expect(deliveryIn(entry)).toMatchObject({
			state: 'muted',
			advice: expect.stringContaining('Unmute'),
		});
		expect(entry.phones).toMatchObject({ muted: 1, stored: 0 });
		const { device, line } = await rowOfPhone();
		expect(device.muted).toEqual(['ops']);
		expect(line).toContain('Has muted ops.');
	});

	it('came during quiet hours', async () => {
		const hours = { from: '11:00', to: '14:00', days: ['sun'] };
		const quiet = { hours, time_zone: 'UTC', minimum_level: 'passive', questions: false };
		expect((await iphone.call('PUT', '/quiet', quiet)).status).toBe(200);
		const { shown, entry } = await readAbout(await push());
		expect(shown).toMatch(/iPhone \d+: held back\n +The phone was quiet/);
		expect(deliveryIn(entry)).toMatchObject({
			state: 'held_back',
			advice: expect.stringContaining('quiet'),
		});
		// The command has another clock.
		const { device } = await rowOfPhone();
		expect(device.quiet_until).toBe('2026-03-01T14:00:00.000Z');
	});

	it.each([
		[
			'token is gone',
			{ status: 410, reason: 'Unregistered' },
			'APNs answered 410 Unregistered',
			/pair the phone again/,
		],
		[
			'environment is wrong',
			{ status: 400, reason: 'BadDeviceToken' },
			'APNs answered 400 BadDeviceToken',
			/register as sandbox/,
		],
	])('went to Apple, where the phone’s %s', async (_what, fault, reason, advice) => {
		bench.apns.failOnce(fault);
		const { shown, entry } = await readAbout(await push());
		expect(shown).toMatch(/iPhone \d+: failed/);
		expect(shown).toContain(`attempt failed: ${reason}`);
		expect(shown).toMatch(advice);
		expect(entry.reason).toBe(reason);
		expect(deliveryIn(entry)).toMatchObject({
			state: 'failed',
			failures: [{ at: expect.any(String), reason }],
			advice: expect.stringMatching(advice),
		});
		const { device, line } = await rowOfPhone();
		expect(device.last_failure).toMatchObject({ reason, advice: expect.stringMatching(advice) });
		expect(line).toContain(reason);
		expect(await command('history', 'list')).toContain(`1 failed  ${reason}`);
	});

	it('was refused, because the allowance is used up', async () => {
		const account = await findAccount(bench.server.context, bench.server.account.id);
		await changeAccount(bench.server.context, account, { plan: 'trial', quota: 0 });
		const { status, body, headers } = await push();
		expect(status).toBe(402);
		expect(headers).not.toHaveProperty('beckon-history-id');
		const { key, lines } = await rowOfKey();
		expect(key).toMatchObject({ last_accepted_at: null, last_refusal: body['message'] });
		expect(lines).toContain(String(body['message']));
		expect((await rowOfPhone()).device.last_failure).toBeNull();
	});

	it('was refused, because the key is revoked', async () => {
		await push();
		await bench.server.revokeKey(bench.server.account.id, bench.server.account.key);
		expect((await push()).status).toBe(401);
		const { key, lines } = await rowOfKey();
		expect(key).toMatchObject({
			last_accepted_at: bench.server.timestamp(),
			last_refused_at: bench.server.timestamp(),
			last_refusal: expect.stringContaining('revoked'),
		});
		expect(lines).toContain('The key is revoked.');
		expect((await rowOfPhone()).device.last_failure).toBeNull();
	});
});

describe('an answer that did not arrive', () => {
	const answerOnPhone = (id: string) =>
		iphone.call('POST', `/questions/${id}/answer`, { tap_id: randomUUID(), choice: 'yes' });

	/** Taps the button of a push. @returns what the phone then shows, and the push */
	async function tap(url: string) {
		const { phone } = bench.server;
		await bench.server.addChannel('owners', { devices: [phone.id] });
		const sent = await push({
			target: { channels: ['owners'] },
			actions: [{ title: 'Approve', type: 'webhook', url }],
		});
		const [{ id }] = await phone.inbox();
		const report = { tap_id: randomUUID(), delivery_id: id, action: 0 };
		return { sent, answer: (await phone.call('POST', '/taps', report)).body };
	}

	it('was refused by the webhook', async () => {
		const receiver = await startReceiver((_request, response) => response.writeHead(403).end());
		const { sent, answer } = await tap(receiver.url);
		await receiver.close();
		expect(answer).toMatchObject({ outcome: 'failed', status: 403 });
		const { shown, entry } = await readAbout(sent);
		expect(shown).toMatch(
			/Olga tapped Approve on Phone: Failed \(403\): The webhook does not accept/,
		);
		expect(entry.taps).toMatchObject([
			{ device: 'Phone', outcome: 'failed', status: 403, message: answer['message'] },
		]);
		expect((await rowOfPhone(bench.server.phone.id)).device.last_failure).toBeNull();
	});

	it('did not reach n8n', async () => {
		const { sent, answer } = await tap(`http://127.0.0.1:${await freePort()}/webhook/x`);
		expect(answer['outcome']).toBe('failed');
		expect(answer['message']).not.toBe('');
		const { shown, entry } = await readAbout(sent);
		expect(shown).toContain(`Olga tapped Approve on Phone: Failed: ${answer['message']}`);
		expect(entry.taps).toMatchObject([
			{ device: 'Phone', outcome: 'failed', message: answer['message'] },
		]);
		expect((await rowOfPhone(bench.server.phone.id)).device.last_failure).toBeNull();
	});

	it.each([
		['a person', (id: string) => answerOnPhone(id), /Answered “Yes” by \w+ on iPhone \d+$/m],
		[
			'nobody, since it was withdrawn',
			(id: string) => owner.call('DELETE', `/questions/${id}`),
			/Withdrawn$/m,
		],
	])('came from %s', async (_who, end, words) => {
		const asked = await bench.server.call('POST', '/questions', {
			title: 'Deploy?',
			choices: [{ id: 'yes', title: 'Yes' }],
			target: { channels: ['ops'] },
		});
		expect((await end(String(asked.body['question_id']))).status).toBe(200);
		const { shown } = await readAbout(asked);
		expect(shown).toMatch(words);
	});
});
