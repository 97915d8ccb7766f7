import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';

import { MAX_LENGTHS } from '../../cli/src/longest.ts';
import { Installed } from './beckon.ts';
import { StandIn } from './stand-in.ts';

let beckon: Installed;
let server: StandIn;

beforeAll(async () => {
	beckon = await Installed.link();
	server = await StandIn.start();
});

beforeEach(() => server.reset());

afterAll(async () => {
	await server.stop();
	await beckon.remove();
});

const run = async (words: string, start: Parameters<Installed['run']>[1] = {}) =>
	await beckon.run(words, { env: server.env, ...start });

const sent = () => server.calls.at(-1)?.body;

describe('the message', () => {
	it('is what comes from a pipe or a file', async () => {
		await run(`printf 'first\\nsecond\\n' | beckon push Title`);
		expect(sent()).toEqual({ title: 'Title', message: 'first\nsecond' });
		await writeFile(path.join(beckon.folder, 'log'), 'from a file\n');
		await run('beckon push Title <log');
		expect(sent()).toEqual({ title: 'Title', message: 'from a file' });
	});

	it('is the argument, if there is one, and nothing where nothing comes', async () => {
		await run('echo unread | beckon push Title Message');
		expect(sent()).toEqual({ title: 'Title', message: 'Message' });
		await run('beckon push Title </dev/null');
		expect(sent()).toEqual({ title: 'Title' });
	});

	it('is not waited for in a socket that a program has left open', async () => {
		const { code } = await run('beckon push Title', { onOutput: () => undefined });
		expect(code).toBe(0);
		expect(sent()).toEqual({ title: 'Title' });
	});

	it('is the rest behind the title for -', async () => {
		await run(`printf 'Title\\n\\nfirst\\nsecond\\n' | beckon push -`);
		expect(sent()).toEqual({ title: 'Title', message: 'first\nsecond' });
	});
});

describe.each(Object.entries(MAX_LENGTHS))('a text that is too long for %s', (field, longest) => {
	const flags: Record<string, string> = {
		title: 'push "$LONG"',
		message: 'push Title "$LONG"',
		subtitle: 'push Title --subtitle "$LONG"',
		'content_state.title': 'stream key --title "$LONG"',
		'content_state.subtitle': 'stream key --subtitle "$LONG"',
		'content_state.message': 'stream key --message "$LONG"',
		'alert.body': 'stream key --alert "$LONG"',
	};
	// Two code units, of which the service counts one character.
	const text = '😀'.repeat(longest + 1);

	it('is cut, which is told, or refused', async () => {
		const env = { ...server.env, LONG: text };
		const { code, stderr } = await run(`beckon ${flags[field]}`, { env });
		expect(code).toBe(0);
		expect(stderr).toMatch(
			new RegExp(`^beckon: \\S+ is longer than ${longest} characters and was cut`),
		);
		const value = field.split('.').reduce<unknown>((inner, name) => {
			return (inner as Record<string, unknown>)[name];
		}, sent());
		expect(value).toBe(`${'😀'.repeat(longest - 1)}…`);
		server.reset();
		expect(await run(`beckon ${flags[field]} --refuse-long`, { env })).toMatchObject({ code: 1 });
		expect(server.calls).toEqual([]);
	});
});

describe('what a push has besides', () => {
	it('is buttons, a picture of this machine, and what it replaces', async () => {
		await run(
			'beckon push T --button Log=https://a.example/?a=b --button "Retry=POST https://a.example"',
		);
		expect(sent()?.['actions']).toEqual([
			{ title: 'Log', type: 'open_url', url: 'https://a.example/?a=b' },
			{ title: 'Retry', type: 'webhook', method: 'POST', url: 'https://a.example' },
		]);
		server.answer = (response) => {
			response.end('{"success": true, "url": "https://b.example/1.png"}');
		};
		await writeFile(path.join(beckon.folder, 'picture'), '{"bytes": "of a picture"}');
		await run('beckon push T --image picture --replaces build-7');
		expect(server.calls.at(-2)).toMatchObject({
			path: '/api/images',
			body: { bytes: 'of a picture' },
			headers: { 'content-type': 'application/octet-stream' },
		});
		expect(server.calls.at(-1)).toMatchObject({
			headers: { 'x-sequence-id': 'build-7' },
			body: { media: 'https://b.example/1.png' },
		});
	});
});

/** An entry of each list, and its line. */
const LISTED: Readonly<Record<string, [entry: object, line: string]>> = {
	channels: [{ slug: 'ops', name: 'Operations' }, 'ops\tOperations'],
	phones: [{ slug: 'phone-1', name: 'Phone', user: 'Ada' }, 'phone-1\tPhone\tAda'],
	metrics: [{ key: 'load', name: 'Load', unit: null, value: 3 }, 'load\tLoad\t'],
	questions: [
		{ question_id: 'his_1', title: 'Go?', deadline_at: '2026-12-01T00:00:00Z' },
		'his_1\tGo?\t2026-12-01T00:00:00Z',
	],
};

describe('a wait', () => {
	it('says why and how long, and is no longer than --timeout', async () => {
		server.answer = (response) => {
			server.answer = (next) => next.end('{"success": true}');
			response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' });
			response.end('{"error": "rate_limited"}');
		};
		const { code, stderr } = await run('beckon push Title');
		expect({ code, stderr }).toEqual({
			code: 0,
			stderr: 'beckon: The allowance is used up. Waiting 1 s; --timeout limits that.\n',
		});
		server.answer = (response) => {
			response.writeHead(429, { 'retry-after': '3600', 'content-type': 'application/json' });
			response.end('{"error": "rate_limited"}');
		};
		const late = await run('beckon push Title --timeout 5s');
		expect(late.stderr).toMatch(/^beckon: The allowance is used up; it resets at .*\n$/);
		expect(late.code).toBe(1);
	});
});

describe('another attempt', () => {
	const json = { 'content-type': 'application/json' };

	it.each<[what: string, fail: (response: ServerResponse) => void, told: RegExp]>([
		[
			'a lost connection',
			(response) => response.socket?.destroy(),
			/^beckon: Cannot reach \S+: the connection closed .* Trying again for a few seconds\.\n$/,
		],
		[
			'a proxy without its server',
			(response) => response.writeHead(502).end('<p>Bad gateway</p>'),
			/^beckon: \S+ does not work now \(HTTP 502\)\. .* Waiting a few seconds; --timeout limits that\.\n$/,
		],
		[
			'a server that stores nothing',
			(response) => {
				response.writeHead(503, json).end('{"error": "Full disk.", "code": "not_stored"}');
			},
			/^beckon: Full disk\. Trying again for up to five minutes\.\n$/,
		],
	])('after %s is told once, with its reason', async (_what, fail, told) => {
		server.answer = (response) => {
			if (server.calls.length < 3) return fail(response);
			response.writeHead(200, json).end('{"success": true}');
		};
		const { code, stderr } = await run('beckon push Title');
		expect(code).toBe(0);
		expect(server.calls).toHaveLength(3);
		expect(stderr).toMatch(told);
	});
});

describe('a list', () => {
	it.each(Object.entries(LISTED))('of %s prints a line for each', async (name, [entry, line]) => {
		server.answer = (response) => response.end(JSON.stringify({ success: true, [name]: [entry] }));
		expect(await run(`beckon ${name}`)).toMatchObject({ code: 0, stdout: `${line}\n`, stderr: '' });
		expect(server.calls).toMatchObject([{ method: 'GET', path: `/api/${name}` }]);
		expect(JSON.parse((await run(`beckon ${name} --json`)).stdout)).toEqual({ [name]: [entry] });
		server.answer = (response) => response.end(JSON.stringify({ success: true, [name]: [] }));
		const none = await run(`beckon ${name}`);
		expect(none).toMatchObject({ code: 0, stdout: '', stderr: `beckon: There are no ${name}.\n` });
	});

	it('has all pages, and names that a terminal cannot be told by', async () => {
		server.answer = (response, { path: page }) => {
			const isLast = page.endsWith('after=ops');
			const channels = [
				{ slug: isLast ? 'sales' : 'ops', name: isLast ? '\u001b[2J' : 'Operations' },
			];
			response.end(JSON.stringify({ success: true, channels, next: isLast ? null : 'ops' }));
		};
		expect((await run('beckon channels')).stdout).toBe('ops\tOperations\nsales\t\ufffd[2J\n');
		const { stdout } = await run('beckon channels --json');
		expect(JSON.parse(stdout)).toMatchObject({ channels: [{ slug: 'ops' }, { slug: 'sales' }] });
	});
});

describe('words', () => {
	it('name the options, and what to do', async () => {
		server.answer = (response) => {
			response.writeHead(400, { 'content-type': 'application/json' });
			const issues = [
				{ path: 'content_state.type', message: 'is required' },
				{ path: 'content_state.metrics[0].label', message: 'is too long' },
				{ path: 'deadline.after_seconds', message: 'must be a whole number from 30 to 60' },
			];
			response.end(JSON.stringify({ error: 'Bad request', message: 'x', issues }));
		};
		const { stderr } = await run('beckon stream key --title T');
		expect(stderr).toMatch(
			/^beckon: --type is required: .*--percentage.*\. --metric is too long\. --within .* from 30 to 60 seconds\.\n$/,
		);
		expect((await run('beckon ask Go? --default decline')).stderr).toContain(
			'--default needs --within',
		);
		expect((await run('beckon badge')).stderr).toMatch(/^beckon: missing required argument/);
	});

	it('name the option in a sentence without the path of a field', async () => {
		server.answer = (response) => {
			response.writeHead(400, { 'content-type': 'application/json' });
			response.end('{"error": "x", "message": "target.channels matches no channel of a.example."}');
		};
		const { stderr } = await run('beckon push T --channel nowhere');
		expect(stderr).toBe('beckon: --channel matches no channel of a.example.\n');
	});

	it('name the picture that cannot be read, before anything is sent', async () => {
		for (const picture of ['nowhere.png', '.']) {
			expect(await run(`beckon push T --image ${picture}`)).toMatchObject({
				code: 1,
				stderr: `beckon: ${picture} cannot be read. Check what --image names.\n`,
			});
		}
		expect(server.calls).toEqual([]);
	});

	it('never have the key in them', async () => {
		const env = { ...server.env, BECKON_API_KEY: 'bk_sec\nret' };
		const { code, stderr } = await run('beckon push T', { env });
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: 'beckon: This is not a valid API key. Copy it from the console again.\n',
		});
	});
});

describe('login and logout', () => {
	it('show and forget the server', async () => {
		const { url } = server;
		server.answer = (response) => response.end('{"success": true, "phones": [], "next": null}');
		const words = `echo bk_key | beckon login ${url} && beckon whoami && beckon logout; beckon whoami`;
		const { stdout, stderr } = await run(words, { env: {} });
		expect(stdout).toContain(`${url}/api, with the key of ${path.join(beckon.folder, 'config')}`);
		expect(stdout).toContain('Phones: none');
		expect(stderr).toMatch(/^beckon: No server is known/);
	});
});
