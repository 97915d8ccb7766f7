import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPEN_URL, UNLIMITED } from '../support/samples.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const longUrl = (length: number) => 'https://example.com/'.padEnd(length, 'x');

describe('the links of a push', () => {
	let server: TestServer;
	beforeAll(async () => {
		server = await startTestServer({ settings: UNLIMITED });
	});
	afterAll(() => server.close());

	const push = (fields: Record<string, unknown>) =>
		server.call('POST', '/push-notification', { title: 'Hello', ...fields });
	const refused = async (fields: Record<string, unknown>, path: string) => {
		const { status, body } = await push(fields);
		expect(status).toBe(400);
		expect(body['message']).toMatch(new RegExp(`^${path} (must|cannot) `));
	};

	describe.each(['icon', 'media'])('as %s', (field) => {
		it.each([
			'https://example.com/a.png',
			'https://example.com:8443/a?b=c#d',
			'https://[2001:db8::1]/a.png',
			longUrl(2048),
		])('may be %s', async (url) => {
			expect((await push({ [field]: url })).status).toBe(200);
			expect((await server.phone.inbox()).at(-1).push[field]).toBe(url);
		});

		it.each([
			['plain http', 'http://example.com/a.png'],
			['a capital scheme, which the pattern does not take', 'HTTPS://example.com/a.png'],
			['data', 'data:image/png;base64,AAAA'],
			['a relative URL', '/a.png'],
			['a host alone', 'example.com/a.png'],
			['no host', 'https://'],
			['a leading space', ' https://example.com/a.png'],
			['a user and password', 'https://user:password@example.com/a.png'],
			['a user', 'https://user@example.com/a.png'],
			['a password alone', 'https://:password@example.com/a.png'],
			['a line end', 'https://example.com/a\nb'],
			['a NUL', 'https://example.com/a\u0000b'],
			['a tab', 'https://example.com/a\tb'],
			['a C1 control character', 'https://example.com/a\u0085b'],
			['a line separator', 'https://example.com/a\u2028b'],
			['a character that turns the reading direction', 'https://example.com/\u202egpj.exe'],
			['an isolate of another direction', 'https://example.com/\u2066a'],
			['an empty host', 'https:///a.png'],
			['a host behind one slash', 'https:/example.com/a.png'],
			['nothing', ''],
		])('cannot be %s', async (_what, url) => {
			await refused({ [field]: url }, field);
		});
	});

	it('have their spaces percent-encoded, as a phone needs them', async () => {
		const actions = [{ ...OPEN_URL, url: 'shortcuts://run-shortcut?name=Good Night' }];
		await push({
			icon: 'https://example.com/my icon.png',
			redirection: 'shortcuts://run-shortcut?name=Morning Routine',
			actions,
		});
		expect((await server.phone.inbox()).at(-1).push).toMatchObject({
			icon: 'https://example.com/my%20icon.png',
			redirection: 'shortcuts://run-shortcut?name=Morning%20Routine',
			actions: [{ url: 'shortcuts://run-shortcut?name=Good%20Night' }],
		});
	});

	it('have their characters counted as they are sent', async () => {
		await refused({ redirection: `${longUrl(2046)} ` }, 'redirection');
		expect((await push({ redirection: `${longUrl(2045)} ` })).status).toBe(200);
	});

	it('cannot be media and actions together', async () => {
		await refused({ media: 'https://example.com/a.png', actions: [OPEN_URL] }, 'media');
	});

	it('may be media beside an empty list of actions, or beside a redirection', async () => {
		const media = 'https://example.com/a.png';
		expect((await push({ media, actions: [] })).status).toBe(200);
		expect((await push({ media, redirection: 'https://example.com' })).status).toBe(200);
	});

	describe('as redirection', () => {
		it.each([
			'https://example.com/orders/1',
			'http://192.168.1.10:8123/lovelace',
			'HTTPS://EXAMPLE.COM',
			'shortcuts://run-shortcut?name=Lights',
			'spotify:track:6rqhFgbbKwnb9MLmUQDhG6',
			'com.example.app+x-1://open?id=1',
			'tel:+4930123456',
			'mailto:someone@example.com',
			'feed:https://example.com/rss',
			longUrl(2048),
		])('may be %s', async (redirection) => {
			expect((await push({ redirection })).status).toBe(200);
			expect((await server.phone.inbox()).at(-1).push.redirection).toBe(redirection);
		});

		it.each([
			'javascript',
			'data',
			'file',
			'blob',
			'about',
			'vbscript',
			'view-source',
			'intent',
			'content',
			'beckon',
			'ms-msdt',
			'search-ms',
			'shell',
			'itms-services',
			'feed:javascript',
			'feed:feed:data',
		])('cannot use the blocked scheme %s, in any case', async (scheme) => {
			const capital = scheme.charAt(0).toUpperCase() + scheme.slice(1);
			for (const spelling of [scheme, scheme.toUpperCase(), capital]) {
				await refused({ redirection: `${spelling}:alert(1)` }, 'redirection');
			}
		});

		it.each([
			['a path', '/orders/1'],
			['a scheme that begins with a digit', '1password://open'],
			['a blocked scheme behind a space', ' javascript:alert(1)'],
			['a blocked scheme behind a control character', '\u0001javascript:alert(1)'],
			['a blocked scheme with a tab in it', 'java\tscript:alert(1)'],
			['no host', 'https://'],
			['2,049 characters', longUrl(2049)],
			['a line end', 'https://example.com/a\nb'],
			['a NUL', 'https://example.com/a\u0000b'],
			['a tab', 'https://example.com/a\tb'],
			['a C1 control character', 'https://example.com/a\u0085b'],
			['a line separator', 'https://example.com/a\u2028b'],
			['a character that turns the reading direction', 'https://example.com/\u202egpj.exe'],
			['an isolate of another direction', 'https://example.com/\u2066a'],
			['an empty host', 'https:///a.png'],
			['a host behind one slash', 'https:/example.com/a.png'],
			['http without a host', 'http:example.com'],
			['nothing', ''],
		])('cannot be %s', async (_what, redirection) => {
			await refused({ redirection }, 'redirection');
		});
	});
});
