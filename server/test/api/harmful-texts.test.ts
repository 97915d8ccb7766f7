import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sanitized } from '../../src/contract/text.ts';
import { STATES } from '../support/samples.ts';
import { TapBench } from '../support/tap-bench.ts';

/** Shown as "invoice exe.pdf" by programs that obey the control. */
const TURNED = 'invoice \u202Efdp.exe';
const CLEAN = 'invoice fdp.exe';

/** Half of an emoji, as JSON.stringify writes it. */
const HALF = '\uD83D';

describe('a text from outside', () => {
	it.each([
		['half a character', `a${HALF}b`, 'a\uFFFDb'],
		['embeddings and overrides', '\u202A\u202B\u202C\u202D\u202Ea', 'a'],
		['isolates', '\u2066\u2067\u2068a\u2069', 'a'],
	])('loses %s', (_what, given, kept) => {
		expect(sanitized(given)).toBe(kept);
	});

	it('keeps emoji, and the marks that Arabic and Hebrew texts need', () => {
		const text = '👍 \u05E9\u05DC\u05D5\u05DD\u200F! \u200E+1 \u061C';
		expect(sanitized(text)).toBe(text);
	});
});

describe('what phones show', () => {
	let bench: TapBench;
	beforeEach(async () => {
		bench = await TapBench.start();
	});
	afterEach(() => bench.close());

	const newest = async () => (await bench.server.phone.inbox()).at(-1).push;

	it('turns no reading direction: a push', async () => {
		const { status } = await bench.server.call('POST', '/push-notification', {
			title: `${TURNED}\u202C `,
			message: TURNED,
			metadata: { file: TURNED },
			actions: [{ title: TURNED, type: 'open_url', url: 'https://example.com/' }],
		});
		expect(status).toBe(200);
		expect(await newest()).toMatchObject({
			title: CLEAN,
			message: CLEAN,
			actions: [{ title: CLEAN }],
		});
	});

	it('counts characters without those that are left out', async () => {
		const title = `\u202E${'x'.repeat(255)}`;
		const push = (body: object) => bench.server.call('POST', '/push-notification', body);
		expect((await push({ title })).status).toBe(200);
		expect((await push({ title: '\u202E' })).body['issues']).toMatchObject([{ path: 'title' }]);
	});

	it('turns no reading direction: a Live Activity', async () => {
		await bench.server.call('POST', '/live-activity/start', {
			content_state: { ...STATES.alert, title: TURNED, message: TURNED },
		});
		const [activity] = (await bench.server.phone.snapshot()).activities;
		expect(activity.content_state).toMatchObject({ title: CLEAN, message: CLEAN });
	});

	it('turns no reading direction: the name of a phone', async () => {
		const phone = await bench.server.pairPhone({ name: TURNED });
		expect((await phone.snapshot()).device.name).toBe(CLEAN);
	});

	it("turns no reading direction, and is whole: a webhook's answer", async () => {
		const { url } = await bench.receive((_request, response) =>
			response
				.setHeader('content-type', 'application/json')
				.end(JSON.stringify({ message: `${HALF} ${TURNED}`, final: true })),
		);
		const { message, answer } = await bench.tapWebhook(url);
		expect({ message, shown: answer.message }).toEqual({
			message: `\uFFFD ${CLEAN}`,
			shown: `\uFFFD ${CLEAN}`,
		});
		expect((await newest()).answer).toEqual(answer);
	});

	it('leaves data for programs as it is: the body for a webhook', async () => {
		const { url, received } = await bench.receive();
		await bench.tapWebhook(url, { body: { name: TURNED } });
		expect(JSON.parse(received[0]!.body)).toEqual({ name: TURNED });
	});

	it('turns no reading direction: what other programs send', async () => {
		await bench.server.addChannel('alerts', { devices: [bench.server.phone.id] });
		const key = await bench.server.addSenderKey(['alerts']);
		const send = (url: string, headers: Record<string, string>, payload: string) =>
			bench.server.app.inject({
				method: 'POST',
				url,
				headers: { authorization: `Bearer ${key}`, ...headers },
				payload,
			});
		const title = Buffer.from(TURNED).toString('latin1');
		await send('/ntfy/alerts', { title }, TURNED);
		expect(await newest()).toMatchObject({ title: CLEAN, message: CLEAN });

		const json = { 'content-type': 'application/json' };
		const message = { title: '\u202E \u202C', message: TURNED };
		await send('/gotify/message', json, JSON.stringify(message));
		expect(await newest()).toMatchObject({ title: 'Notification', message: CLEAN });

		const alert = { status: 'firing', labels: {}, annotations: { summary: TURNED } };
		const group = {
			groupKey: 'a',
			status: 'firing',
			alerts: [alert],
			groupLabels: { alertname: TURNED },
		};
		await send('/alertmanager', json, JSON.stringify(group));
		const [activity] = (await bench.server.phone.snapshot()).activities;
		expect(activity.content_state).toMatchObject({ title: CLEAN, message: CLEAN });
	});
});
