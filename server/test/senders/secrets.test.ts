import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/directory.ts';
import { runJson, type ServerProcess, startProcess } from '../support/process.ts';
import { placesThatHold } from '../support/secrets.ts';
import { waitFor, within } from '../support/wait.ts';

/** test/embedded/log.test.ts covers the log of a failing server. */
const directory = temporaryDirectory();
const secrets = new Set<string>();
let server: ServerProcess;
let cookie: string;
let account: string[];

const ask = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
	const answer = await fetch(`${server.url}${path}`, {
		method: body === undefined ? 'GET' : 'POST',
		headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { answer, text: await answer.text() };
};

/** Sends the key in every place that a sender may put it, with something to accept and to refuse. */
async function send(key: string): Promise<void> {
	const basic = Buffer.from(`beckon:${key}`).toString('base64');
	const auth = Buffer.from(`Basic ${basic}`).toString('base64url');
	for (const secret of [key, basic, auth]) secrets.add(secret);
	for (const delay of [undefined, '1h']) {
		const message = { topic: 'ops', message: 'Hello', delay };
		await ask('/', message, { authorization: `Bearer ${key}` });
		await ask('/ntfy', message, { authorization: `Basic ${basic}` });
		await ask(`/ntfy/ops?auth=${auth}${delay ? '&in=1h' : ''}`, 'Hello');
	}
	await ask(`/gotify/message?token=${key}`, { message: 'Hello' });
	await ask('/gotify/message', {}, { 'x-gotify-key': key });
	await ask('/grafana', {}, { authorization: `Basic ${basic}` });
	await ask(`/ntfy/${key}?auth=${auth}`, 'Hello');
	await ask(`/nowhere?auth=${auth}&token=${key}`, {});
}

beforeAll(async () => {
	const data = ['--data', directory.path];
	account = ['--account', 'acme', ...data];
	await runJson(['account', 'create', '--name', 'acme', '--owner', 'o@example.com', ...data]);
	await runJson(['channel', 'create', '--slug', 'ops', ...account]);
	const { code } = await runJson(['device', 'pair-code', ...account]);
	const create = ['key', 'create', '--name', 'kuma', '--sender', '--channels', 'ops', ...account];
	const { key } = await runJson<{ key: string }>(create);
	server = await startProcess(directory.path, {
		settings: { BECKON_METRICS_PORT: '0', BECKON_LOG_LEVEL: 'debug' },
	});
	const paired = await ask('/device/pair', { code, name: 'Phone', platform: 'web' });
	const { device } = JSON.parse(paired.text) as { device: { id: string } };
	await runJson(['channel', 'assign', '--channel', 'ops', '--devices', device.id, ...account]);
	// The newest link works; the server made one when it started.
	const { link } = await runJson(['account', 'setup-link', ...account]);
	const token = new URL(link as string).hash.replace('#setup=', '');
	const person = { name: 'Olga', email: 'olga@example.com', password: 'a long enough password' };
	const { answer } = await ask('/console/api/join', { token, ...person });
	cookie = answer.headers.get('set-cookie')!.split(';', 1)[0]!;
	await send(key);
	await send(`bs_${'w'.repeat(43)}`);
});
afterAll(async () => {
	server.signal('SIGTERM');
	await within('the end of the server', server.finished);
	directory.remove();
});

/** None of the secrets, and a word that proves that the place was used. */
const expectNone = (text: string, proof: string) => {
	expect(text).toContain(proof);
	for (const secret of secrets) expect(text).not.toContain(secret);
};

it('the log holds no sender key', () => {
	expectNone(server.log(), 'serving metrics');
});

it('the metrics hold no sender key', async () => {
	const line = server
		.log()
		.split('\n')
		.find((text) => text.includes('serving metrics'));
	const { url } = JSON.parse(line!) as { url: string };
	expectNone(await (await fetch(url)).text(), 'route="/ntfy/:topic",status="200"');
});

it('the history holds no sender key', async () => {
	expectNone(JSON.stringify(await runJson(['history', 'list', ...account])), 'ops');
});

it('the console holds no sender key', async () => {
	const look = async (path: string) =>
		(await ask(`/console/api${path}`, undefined, { cookie })).text;
	await waitFor('the last refusal', async () => (await look('/keys')).includes('cannot target'));
	expectNone(await look('/keys'), '"last_accepted_at":"2');
	expectNone(await look('/history'), 'ops');
	expectNone(await look('/audit'), 'kuma');
	expectNone(await look('/usage'), 'notifications');
});

it('the store holds no sender key', async () => {
	expect(await placesThatHold(directory.path, ['kuma'])).not.toEqual([]);
	expect(await placesThatHold(directory.path, [...secrets])).toEqual([]);
});
