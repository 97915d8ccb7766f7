import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OTHER_CATEGORY } from '../../src/contract/categories.ts';
import type { TestPhone } from '../support/server.ts';
import { type Bench, pairBrowser, pairIphone, startBench } from './support/phones.ts';

/** A system notification offers the choices of a question only if it shows all of the text. */

let bench: Bench;
let iphone: Awaited<ReturnType<typeof pairIphone>>;
let browser: TestPhone;
beforeAll(async () => {
	bench = await startBench();
	iphone = await pairIphone(bench.server);
	browser = await pairBrowser(bench);
});
afterAll(() => bench.close());

const CHOICES = [
	{ id: 'yes', title: 'Allow' },
	{ id: 'no', title: 'Deny' },
];
const ADDRESS = `https://example.com/${'x'.repeat(2_000)}`;

it.each([
	['short', { message: 'To all.' }, 'beckon-actions'],
	['of 120 characters', { message: 'm'.repeat(112) }, 'beckon-actions'],
	['of 121 characters', { message: 'm'.repeat(113) }, OTHER_CATEGORY],
	['of four lines', { subtitle: 'a', message: 'b\nc' }, OTHER_CATEGORY],
	['short, but cut by the push service', { icon: ADDRESS, media: ADDRESS }, OTHER_CATEGORY],
])('a question that is %s', async (_what, texts, category) => {
	const asked = await bench.server.call('POST', '/questions', {
		title: 'Deploy?',
		choices: CHOICES,
		...texts,
	});
	expect(asked.status).toBe(200);
	const onIphone = bench.apns.takenFor(iphone.pushToken).at(-1);
	expect(onIphone?.payload.aps.category).toBe(category);
	const inBrowser = bench.pushService.receivedBy(browser.id).at(-1);
	const { navigate, data } = inBrowser!.message.notification;
	// The worker finds out by itself, unless it was cut.
	expect({ navigate, truncated: data.truncated }).toEqual({
		navigate: '/phone',
		truncated: 'icon' in texts ? true : undefined,
	});
});
