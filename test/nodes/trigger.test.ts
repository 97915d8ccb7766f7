import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { IRun, ITriggerResponse } from 'n8n-workflow';

import { selfSigned } from '../../server/test/gateways/support/certificate.ts';
import { runBeckon } from '../engine/one-node.ts';
import type { Phone } from '../engine/phone.ts';
import { TestServer } from '../engine/server.ts';
import { startTrigger, type Emitted, type TriggerGiven } from '../engine/trigger.ts';

let server: TestServer;
let phone: Phone;
let key: string;

beforeAll(async () => {
	server = await TestServer.start({
		BECKON_RATE_LISTS: '100000',
		BECKON_RATE_NOTIFICATIONS: '1000',
	});
	({ key, phone } = await server.seedDemo());
});

afterAll(async () => {
	await server.stop();
});

type Given = Omit<TriggerGiven, 'access' | 'emit'> & { access?: TriggerGiven['access'] };

/** Starts a trigger, and keeps what it emits. */
async function start({
	access = { baseUrl: server.baseUrl, apiKey: key },
	...given
}: Given): Promise<{ emitted: Emitted[]; response: ITriggerResponse }> {
	const emitted: Emitted[] = [];
	const response = await startTrigger({ ...given, access, emit: (one) => emitted.push(one) });
	return { emitted, response };
}

async function until<T>(
	found: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
	for (;;) {
		const value = await found();
		if (value !== undefined && value !== false) return value;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

interface Listed {
	trigger_id: string;
	name: string;
	listening: boolean;
}

const listed = async (name: string, is = true): Promise<string> =>
	await until(async () => {
		const response = await fetch(`${server.baseUrl}/triggers`, {
			headers: { authorization: `Bearer ${key}` },
		});
		const { triggers } = (await response.json()) as { triggers: Listed[] };
		return triggers.find((one) => one.name === name && one.listening === is)?.trigger_id;
	});

/** Sends a button that starts the workflow, and taps it. */
async function tapButton(trigger: string, times = 1): Promise<unknown> {
	const button = {
		title: 'Water',
		type: 'start_workflow',
		trigger: { __rl: true, mode: 'list', value: trigger },
		firstTap: times === 1,
		data: '={{ { "plant": $json.plant } }}',
	};
	const { error } = await runBeckon(
		{ title: 'Dry', actions: { button: [button] } },
		{
			items: [{ plant: 'Monstera' }],
			credentials: { beckonApi: { baseUrl: server.baseUrl, apiKey: key } },
		},
	);
	expect(error?.message).toBeUndefined();
	const push = (await phone.inbox()).at(-1);
	let outcome: unknown;
	for (let time = 0; time < times; time += 1)
		outcome = await phone.tap({ delivery_id: push?.id ?? 0, action: 0 });
	return outcome;
}

const ended = {} as IRun;

test('a tapped button starts the workflow with its data, who and when', async () => {
	const { emitted, response } = await start({ name: 'Watering' });
	const outcome = await tapButton(await listed('Watering'));
	expect(outcome).toMatchObject({ outcome: 'called', message: '“Watering” is starting.' });
	const { json, deduplicationKey } = await until(() => emitted[0]);
	expect(json).toEqual({
		data: { plant: 'Monstera' },
		button: 'Water',
		responder: { name: 'owner', device: expect.any(String) as string },
		tappedAt: expect.any(String) as string,
		tapId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
	});
	expect(deduplicationKey).toBe(`beckon:${String(json['tapId'])}`);
	emitted[0]?.execution?.resolve(ended);
	await response.closeFunction?.();
	await listed('Watering', false);
});

test('with Include Delivery Details, a tap names the history entry of its button', async () => {
	const { emitted, response } = await start({
		name: 'Detailed',
		parameters: { options: { includeDetails: true } },
	});
	await tapButton(await listed('Detailed'));
	expect(await until(() => emitted[0])).toMatchObject({
		json: { delivery_details: { history_id: expect.stringMatching(/^[\w-]{10,}/) as string } },
	});
	await response.closeFunction?.();
});

test.each([
	['n8n 2 gets it again, and drops the second execution by its key', true, 1],
	['n8n 1, which began it, does not get it again', false, 0],
])('when an execution is under way at the end, %s', async (_what, isNewer, again) => {
	const name = isNewer ? 'Under way in 2' : 'Under way in 1';
	const first = await start({ name, isNewer });
	await tapButton(await listed(name));
	const { json } = await until(() => first.emitted[0]);
	await first.response.closeFunction?.();
	const second = await start({ name, isNewer });
	// Its turn comes after the first.
	await tapButton(await listed(name));
	await until(() => second.emitted.length === again + 1 || undefined);
	expect(second.emitted.filter((one) => one.json['tapId'] === json['tapId'])).toHaveLength(again);
	await second.response.closeFunction?.();
});

test('a tap whose execution could not be started comes again', async () => {
	const { emitted, response } = await start({ name: 'Not started' });
	const trigger = await listed('Not started');
	await tapButton(trigger);
	const first = await until(() => emitted[0]);
	first.execution?.reject(new Error('The database is gone'));
	await until(async () => {
		await tapButton(trigger);
		// Ten that do not end would leave no room.
		for (const { execution } of emitted.slice(1)) execution?.resolve(ended);
		return emitted.some((one, at) => at > 0 && one.json['tapId'] === first.json['tapId']);
	});
	await response.closeFunction?.();
});

test('at most ten executions are under way', async () => {
	const { emitted, response } = await start({ name: 'Busy' });
	await tapButton(await listed('Busy'), 12);
	await until(() => emitted.length === 10 || undefined);
	emitted[0]?.execution?.resolve(ended);
	emitted[1]?.execution?.resolve(ended);
	await until(() => emitted.length === 12 || undefined);
	await response.closeFunction?.();
});

test('whoever activates it learns of a wrong key, but a start of n8n does not fail', async () => {
	const access = { baseUrl: server.baseUrl, apiKey: 'bk_wrong' };
	for (const activation of ['activate', 'update'] as const)
		await expect(start({ name: 'Wrong key', access, activation })).rejects.toMatchObject({
			description: expect.stringContaining('Check the API Key') as string,
		});
	const { response } = await start({ name: 'Wrong key', access, activation: 'init' });
	await response.closeFunction?.();
});

test.each<[string, { baseUrl?: string; https?: boolean }, string]>([
	['an address that is none', { baseUrl: 'localhost:8787/api' }, 'this is not a URL'],
	['https where http is spoken', { https: true }, 'it does not speak HTTPS there'],
])('activating it fails for %s', async (_what, { baseUrl, https }, words) => {
	const access = {
		baseUrl: https ? server.baseUrl.replace('http:', 'https:') : (baseUrl ?? ''),
		apiKey: key,
	};
	await expect(start({ name: 'Wrong address', access })).rejects.toThrow(words);
	const { response } = await start({ name: 'Wrong address', access, activation: 'init' });
	await response.closeFunction?.();
});

test('activating it fails for an address without /api', async () => {
	const access = { baseUrl: server.url, apiKey: key };
	await expect(start({ name: 'Without /api', access })).rejects.toMatchObject({
		description: expect.stringContaining('Check the Base URL') as string,
	});
});

test('activating it fails for a certificate that is not trusted', async () => {
	const { key: own, cert } = selfSigned();
	const untrusted = createServer({ key: own.export({ type: 'pkcs8', format: 'pem' }), cert });
	await once(untrusted.listen(0, '127.0.0.1'), 'listening');
	const { port } = untrusted.address() as AddressInfo;
	const access = { baseUrl: `https://127.0.0.1:${port}/api`, apiKey: key };
	await expect(start({ name: 'Untrusted', access })).rejects.toThrow(
		'its certificate is not trusted',
	);
	untrusted.close();
});

test('activating it fails without a credential', async () => {
	await expect(start({ name: 'Without a credential', access: null })).rejects.toThrow(
		/credential/i,
	);
});

test('activating it fails for a revoked key, and the list of keys says so', async () => {
	const account = ['--account', 'demo'];
	const created = await server.cli('key', 'create', ...account, '--name', 'Old trigger');
	await server.cli('key', 'revoke', ...account, '--key', created['id'] ?? '');
	const access = { baseUrl: server.baseUrl, apiKey: created['key'] ?? '' };
	await expect(start({ name: 'Revoked', access })).rejects.toThrow('revoked');
	const refusal = await until(async () => {
		const keys = await server.cli<Array<Record<string, string>>>('key', 'list', ...account);
		return keys.find(({ name }) => name === 'Old trigger')?.['last_refusal'] ?? false;
	});
	expect(refusal).toContain('revoked');
});

describe('when what needs correcting lasts for half a minute', () => {
	const access = () => ({ baseUrl: server.baseUrl, apiKey: 'bk_wrong' });

	/** The pauses between its tries, 31 seconds in all. */
	beforeEach(() => {
		const { setTimeout: wait } = globalThis;
		jest
			.spyOn(globalThis, 'setTimeout')
			.mockImplementation((then, delay = 0, ...given) => wait(then, delay / 100, ...given));
	});

	afterEach(() => {
		jest.restoreAllMocks();
	});

	test('n8n 2 lists one failed execution, and the trigger tries on', async () => {
		const saved: Error[] = [];
		const credential = access();
		const { response } = await start({
			name: 'Put right later',
			access: credential,
			activation: 'init',
			saveFailedExecution: (error) => saved.push(error),
		});
		await until(() => saved.length > 0);
		credential.apiKey = key;
		await listed('Put right later');
		expect(saved).toEqual([
			expect.objectContaining({ message: 'The API key is missing, wrong or revoked.' }),
		]);
		await response.closeFunction?.();
	});

	test('n8n 1 starts it again, and learns why it fails', async () => {
		const given = { name: 'Fails in n8n 1', activation: 'init', isNewer: false } as const;
		const told: Error[] = [];
		const { response } = await start({
			...given,
			access: access(),
			emitError: (error) => told.push(error),
		});
		await until(() => told.length > 0);
		await response.closeFunction?.();
		await expect(start({ ...given, access: access() })).rejects.toThrow(
			'missing, wrong or revoked',
		);
		await (await start(given)).response.closeFunction?.();
		// Its next start does not depend on the server again.
		await (await start({ ...given, access: access() })).response.closeFunction?.();
	});

	test('a server that is down is not told of', async () => {
		const told = jest.fn();
		const { response } = await start({
			name: 'Down for long',
			access: { baseUrl: 'http://127.0.0.1:9/api', apiKey: key },
			activation: 'init',
			saveFailedExecution: told,
			emitError: told,
		});
		const { mock } = jest.mocked(setTimeout);
		await until(() => mock.calls.filter(([, delay]) => delay === 30_000).length > 2);
		expect(told).not.toHaveBeenCalled();
		await response.closeFunction?.();
	});
});

test('an unreachable server fails neither', async () => {
	const access = { baseUrl: 'http://127.0.0.1:9/api', apiKey: key };
	for (const activation of ['activate', 'init'] as const) {
		const { response } = await start({ name: 'Down', access, activation });
		await response.closeFunction?.();
	}
});

test('the editor gets a copy of the next tap', async () => {
	const active = await start({ name: 'Both' });
	const { emitted, response } = await start({ name: 'Both', mode: 'manual' });
	const tried = response.manualTriggerFunction?.();
	await tapButton(await listed('Both'));
	await tried;
	expect(emitted).toHaveLength(1);
	await until(() => active.emitted[0]);
	await active.response.closeFunction?.();
});
