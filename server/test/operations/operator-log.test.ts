import { describe, expect, it } from '@jest/globals';
import { HANDED_OVER } from '../../src/delivery/gateway.ts';
import { createLogger } from '../../src/log.ts';
import { OperatorLog } from '../../src/operator-log.ts';
import { pairIphone, startBench } from '../gateways/support/phones.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { startProcess } from '../support/process.ts';
import { isOnPostgres } from '../support/store.ts';
import { waitFor } from '../support/wait.ts';

function logged() {
	const lines: Array<Record<string, unknown>> = [];
	const logger = createLogger(
		{ BECKON_LOG_LEVEL: 'info' },
		{ write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
	);
	const log = new OperatorLog(logger);
	const attempted = (outcome: Parameters<OperatorLog['attempted']>[0]['outcome']) =>
		log.attempted({ gateway: 'apns', outcome, phone: 'dev_1' });
	return { log, logger, attempted, words: () => lines.map(({ msg }) => msg), lines };
}

describe('the log at `info`', () => {
	it('says once that a push service fails, and once that it works again', () => {
		const { attempted, lines, words } = logged();
		const failed = { kind: 'retry', reason: 'InvalidProviderToken' } as const;
		for (let times = 0; times < 500; times += 1) attempted(failed);
		expect(lines).toMatchObject([
			{ level: 40, msg: 'push service fails', gateway: 'apns', reason: 'InvalidProviderToken' },
		]);
		for (let times = 0; times < 500; times += 1) attempted(HANDED_OVER);
		expect(words()).toEqual(['push service fails', 'push service works again']);
	});

	it('does not take one phone’s trouble for the service’s', () => {
		const { attempted, lines } = logged();
		for (let times = 0; times < 500; times += 1) {
			attempted({ kind: 'retry', reason: 'timeout' });
			attempted(HANDED_OVER);
			attempted({ kind: 'retry', reason: 'the subscription has ended', isUnsubscribed: true });
		}
		expect(lines).toEqual([]);
	});

	it('counts the phones that a push service does not reach, each once and until it does', () => {
		const { log } = logged();
		const [gateway, reason] = ['apns', 'timeout'];
		for (const phone of ['dev_1', 'dev_2', 'dev_3', 'dev_4'])
			for (let times = 0; times < 9; times += 1)
				log.attempted({ gateway, phone, outcome: { kind: 'retry', reason } });
		log.attempted({ gateway, phone: 'dev_1', outcome: HANDED_OVER });
		log.attempted({ gateway, phone: 'dev_2', outcome: { kind: 'gone', reason } });
		log.attempted({ gateway, phone: 'dev_3', outcome: { kind: 'refused', reason } });
		const unsubscribed = { kind: 'retry', reason, isUnsubscribed: true } as const;
		log.attempted({ gateway: 'web_push', phone: 'dev_5', outcome: unsubscribed });
		expect(log.unreached()).toEqual({ apns: 2 });
	});

	it('names a phone that is disconnected, and counts what is refused', () => {
		const { attempted, lines } = logged();
		attempted({ kind: 'gone', reason: 'Unregistered' });
		for (let times = 0; times < 500; times += 1)
			for (const reason of ['PayloadTooLarge', 'BadTopic']) attempted({ kind: 'refused', reason });
		expect(lines).toMatchObject([
			{ msg: 'phone disconnected', phone: 'dev_1', reason: 'Unregistered' },
			{ level: 40, msg: 'push service refuses pushes', times: 1, reason: 'PayloadTooLarge' },
			{ level: 40, msg: 'push service refuses pushes', times: 1, reason: 'BadTopic' },
		]);
	});

	it('has one line a minute for each address from which wrong keys come', () => {
		const { log, lines } = logged();
		for (let times = 0; times < 500; times += 1)
			for (const address of ['192.0.2.1', '2001:db8::1']) log.keyRefused(address);
		log.logSums();
		expect(lines).toMatchObject([
			{ msg: 'key refused', address: '192.0.2.1', times: 1 },
			{ msg: 'key refused', address: '2001:db8::1', times: 1 },
			{ msg: 'in the last hour', 'keys refused': 1_000 },
		]);
	});

	it('follows what APNs answers to pushes', async () => {
		const { logger, lines } = logged();
		const bench = await startBench({}, logger);
		try {
			const iphone = await pairIphone(bench.server);
			const push = () => bench.server.call('POST', '/push-notification', { title: 'private' });
			bench.apns.fault = () => ({ status: 403, reason: 'InvalidProviderToken' });
			for (let times = 0; times < 5; times += 1) await push();
			bench.apns.fault = undefined;
			await push();
			bench.apns.fault = () => ({ status: 410, reason: 'Unregistered' });
			await push();
			expect(lines).toMatchObject([
				{ level: 40, msg: 'push service fails', reason: 'APNs answered 403 InvalidProviderToken' },
				{ msg: 'push service works again', gateway: 'apns' },
				{ msg: 'phone disconnected', phone: iphone.id },
			]);
			expect(JSON.stringify(lines)).not.toContain('private');
		} finally {
			await bench.close();
		}
	});

	it('says once that workflows are not reached, and names each question that is given up', () => {
		const { log, lines } = logged();
		for (let times = 0; times < 500; times += 1) log.calledBack('qst_1', 503, 'again');
		log.calledBack('qst_1', 'failed', 'refused');
		log.calledBack('qst_2', 200, 'delivered');
		expect(lines).toMatchObject([
			{ level: 40, msg: 'calling back fails', reason: 503 },
			{ level: 40, msg: 'callback given up', question: 'qst_1', answer: 'failed' },
			{ level: 30, msg: 'calling back works again' },
		]);
	});

	it('warns at the start if the account that is told of failures does not exist', async () => {
		const directory = temporaryDirectory();
		const settings = { BECKON_ALERT_ACCOUNT: 'acne' };
		const server = await startProcess(directory.path, { settings });
		const line = await waitFor('the warning', () =>
			server
				.log()
				.split('\n')
				.find((text) => text.includes('BECKON_ALERT_ACCOUNT')),
		);
		expect(JSON.parse(line)).toMatchObject({
			...{ level: 40, msg: 'telling BECKON_ALERT_ACCOUNT fails' },
			reason: 'There is no account named acne.',
		});
		expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
		server.signal('SIGTERM');
		await server.finished;
		directory.remove();
	});

	it('begins and ends with the version and where the data is', async () => {
		const directory = temporaryDirectory();
		const server = await startProcess(directory.path);
		try {
			const headers = { authorization: 'Bearer bk_wrong' };
			await fetch(`${server.url}/api/channels`, { headers });
		} finally {
			server.signal('SIGTERM');
		}
		await server.finished;
		const data = isOnPostgres ? expect.stringMatching(/^postgres:/) : directory.path;
		const lines = server.log().trim().split('\n');
		expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
			{ msg: `Server listening at ${server.url}` },
			{ msg: 'started', version: expect.stringMatching(/^\d/), data },
			{ msg: 'key refused', address: '127.0.0.1' },
			{ msg: 'stopping', data },
		]);
		directory.remove();
	});
});
