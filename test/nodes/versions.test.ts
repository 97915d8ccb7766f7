import path from 'node:path';

import { InstalledTypes } from '../engine/node-types.ts';
import { runBeckon, type OneNodeOptions } from '../engine/one-node.ts';
import type { Phone } from '../engine/phone.ts';
import { unpackReleased, type ReleasedPackage } from '../engine/released.ts';
import { TestServer } from '../engine/server.ts';
import { TestProxy } from '../engine/test-proxy.ts';
import { WaitingExecution } from '../engine/waiting.ts';
import { asks, type Push } from './asking.ts';

/** The node and the server are upgraded at different times: each works with the version before of the other. */

const PREVIOUS = '0.1.0';

const PATH = '/api/push-notification';

const push = { resource: 'pushNotification', operation: 'send', title: 'Hello' };

describe.each([
	{ older: 'n8n-nodes-beckon', newer: 'beckon-server' },
	{ older: 'beckon-server', newer: 'n8n-nodes-beckon' },
] as const)(`$older ${PREVIOUS} with the present $newer`, ({ older }) => {
	let released: ReleasedPackage;
	let server: TestServer;
	let proxy: TestProxy;
	let types: InstalledTypes;
	let phone: Phone;
	let apiKey: string;

	beforeAll(async () => {
		released = await unpackReleased(older, PREVIOUS);
		const isServer = older === 'beckon-server';
		types = await InstalledTypes.load(isServer ? undefined : released.folder);
		server = await TestServer.start(
			{ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' },
			...(isServer ? [path.join(released.folder, 'dist/main.js')] : []),
		);
		await server.createAccount('acme');
		await server.createChannel('acme', 'ops');
		const member = ['--account', 'acme', '--channel', 'ops', '--users', 'owner'];
		await server.cli('channel', 'assign', ...member);
		const metric = ['--account', 'acme', '--key', 'load', '--name', 'Load', '--format', 'percent'];
		await server.cli('metric', 'create', ...metric);
		apiKey = await server.createKey('acme');
		phone = await server.pairPhone('acme');
		proxy = await TestProxy.start(server.url);
	});

	afterAll(async () => {
		proxy.stop();
		await server.stop();
		await released.remove();
	});

	const credentials = () => ({ beckonApi: { baseUrl: `${proxy.url}/api`, apiKey } });

	const run = async (parameters: object, options: Partial<OneNodeOptions> = {}) =>
		await runBeckon({ ...push, ...parameters }, { types, credentials: credentials(), ...options });

	const lastPush = async () =>
		(await phone.inbox()).findLast(({ kind }) => kind === 'push') as Push;

	test('sends a push, to channels', async () => {
		const { status, itemsOf } = await run({ options: { channels: ['ops'] } });
		expect(status).toBe('success');
		expect(itemsOf('Beckon')[0]?.json).toMatchObject({ effective_channel_slugs: ['ops'] });
		expect((await lastPush()).push.title).toBe('Hello');
	});

	test('names a channel that does not exist', async () => {
		const { error } = await run({ options: { channels: ['nowhere'] } });
		expect(error?.message).toContain('nowhere');
	});

	test('updates and ends the activity of a stream', async () => {
		const stream = { resource: 'liveActivity', operation: 'upsert', streamKey: 'backup' };
		const activity = { activityType: 'progress', title: 'Backup' };
		for (const percentage of [10, 60])
			expect((await run({ ...stream, ...activity, percentage })).status).toBe('success');
		const { activities } = await phone.snapshot();
		expect(activities).toMatchObject([
			{ stream_key: 'backup', content_state: { title: 'Backup', percentage: 60 } },
		]);
		expect((await run({ ...stream, operation: 'end' })).status).toBe('success');
	});

	test('sets the badge and a metric', async () => {
		const badge = await run({ resource: 'badge', operation: 'set', badge: 3 });
		const metric = await run({ resource: 'metric', operation: 'setValue', key: 'load', value: 7 });
		expect([badge.status, metric.status]).toEqual(['success', 'success']);
		expect(await phone.snapshot()).toMatchObject({ badge: 3 });
	});

	test('asks, and goes on with the answer, or says that the server has no questions', async () => {
		const workflow = asks({ title: 'Deploy?' });
		const execution = await WaitingExecution.of({ workflow, types, credentials: credentials() });
		try {
			const { status, error } = await execution.start();
			if (older === 'beckon-server') {
				expect(error?.message).toBe(
					'This server has no questions: it needs beckon-server 0.2 or newer.',
				);
				return;
			}
			expect(status).toBe('waiting');
			const goneOn = execution.goneOn();
			await phone.tap({ delivery_id: (await lastPush()).id, action: 0 });
			expect((await goneOn).itemsOf('After')).toMatchObject([
				{ json: { data: { approved: true, choice: 'Approve', user: 'owner' } } },
			]);
		} finally {
			await execution.close();
		}
	});

	test('does not send a push again that may have arrived', async () => {
		await run({});
		const before = (await lastPush()).id;
		proxy.disturb((nth) => (nth === 1 ? 'answer lost' : undefined));
		expect((await run({})).status).toBe('error');
		expect([proxy.count(PATH), (await phone.inbox(before)).length]).toEqual([1, 1]);
	});
});
