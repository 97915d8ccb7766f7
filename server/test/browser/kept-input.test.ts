import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually } from './support/browser.ts';
import { PhonePage } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

const CHOICES = [
	{ id: 'yes', title: 'Approve' },
	{ id: 'no', title: 'Decline' },
];
const LIVES = { deadline: { after_seconds: 3_600 } };

/** What a person types and taps, whatever happens meanwhile. */
const PORTRAIT = { width: 390, height: 844 };

describe('on the phone page', () => {
	let bench: Bench;
	let phone: PhonePage;
	let api: Api;

	beforeAll(async () => {
		bench = await openBench('Bakery', { viewport: PORTRAIT });
		({ phone, api } = bench);
		await bench.pair();
		await phone.page.getByRole('button', { name: 'Not now' }).click();
	});
	afterAll(() => bench?.close());

	const field = (title: string, page = phone) =>
		page.notification(title).getByLabel(`Answer: ${title}`);
	const choice = (title: string, name: string) =>
		phone.notification(title).getByRole('button', { name: `${name}: ${title}`, exact: true });
	const result = (title: string) => phone.notification(title).locator('.action-result');
	const topOf = async (title: string) => (await phone.notification(title).boundingBox())!.y;
	const isFocused = (title: string) =>
		field(title).evaluate((one) => one === document.activeElement);
	const answerOf = async (id: string) => (await api.question(id)) as { answer?: object };
	const online = async (isOnline: boolean) => {
		await bench.opened.context.setOffline(!isOnline);
		if (isOnline) await phone.live();
		else await phone.page.locator('.connection-pill').getByText('Offline').waitFor();
	};

	describe('what is typed', () => {
		const ids: Record<string, string> = {};
		const TEXT = 'Not before the bread is out of';

		it('stays in its place, open, when other questions come and go', async () => {
			for (const title of ['First?', 'Second?', 'Third?'])
				ids[title] = (await api.ask({ title, text: {}, choices: CHOICES })).question_id;
			await phone.notification('Third?').waitFor();
			await field('First?').fill(TEXT);
			await phone.rest();
			const before = await topOf('First?');
			for (const title of ['Fourth?', 'Fifth?']) await api.ask({ title, choices: CHOICES });
			await phone.notification('Fifth?').waitFor();
			await api.withdraw(ids['Second?']!);
			await phone.page.getByRole('region', { name: 'Ended questions' }).waitFor();
			await phone.rest();
			expect(await topOf('First?')).toBeCloseTo(before, 0);
			expect(await field('First?').inputValue()).toBe(TEXT);
			expect(await isFocused('First?')).toBe(true);
			await phone.fitsEverywhere('typed');
			await phone.page.setViewportSize(PORTRAIT);
		});

		it('outlives folding, a reload, and its page', async () => {
			await phone.page.getByRole('button', { name: 'Collapse notification: First?' }).click();
			await field('First?').waitFor({ state: 'detached' });
			await phone.expand('First?');
			expect(await field('First?').inputValue()).toBe(TEXT);
			await phone.page.reload();
			await eventually(async () => expect(await field('First?').inputValue()).toBe(TEXT));
			const second = new PhonePage(await bench.opened.context.newPage());
			await second.page.goto(`${bench.server.url}/phone`);
			await eventually(async () => expect(await field('First?', second).inputValue()).toBe(TEXT));
			await second.page.close();
		});

		it('goes once it is sent', async () => {
			await field('First?').fill(`${TEXT} the oven`);
			await choice('First?', 'Send').click();
			await phone.notification('First?').getByText('the oven” by owner').waitFor();
			expect(await answerOf(ids['First?']!)).toMatchObject({
				answer: { text: `${TEXT} the oven` },
			});
			await phone.kept('cards', (json) => !json.includes('"draft":"'));
		});

		it('and when the question has ended', async () => {
			await field('Third?').fill('Too late');
			await phone.kept('cards', (json) => json.includes('Too late'));
			await api.withdraw(ids['Third?']!);
			await phone.notification('Third?').getByText('Withdrawn').waitFor();
			await phone.kept('cards', (json) => !json.includes('Too late'));
		});
	});

	describe('without a network', () => {
		const ids: string[] = [];
		const sent: string[] = [];
		// The browser complains about each failed request.
		afterAll(() => void (bench.opened.complaints.length = 0));

		it('a tap is said to be sent later, and so is what is typed', async () => {
			for (const title of ['Pay?', 'Why?', 'Late?'])
				ids.push((await api.ask({ title, text: {}, choices: CHOICES, ...LIVES })).question_id);
			await api.push({
				title: 'Order 7',
				actions: [{ title: 'Accept', type: 'webhook', url: bench.hooks.url('/accept') }],
			});
			await phone.notification('Order 7').waitFor();
			await phone.expand('Order 7');
			await phone.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
			await online(false);
			// A tap on a card that has just moved is ignored.
			const tap = async (title: string, name: string) => {
				await phone.rest();
				await choice(title, name).click();
			};
			await tap('Pay?', 'Approve');
			await tap('Order 7', 'Accept');
			await field('Why?').fill('It is cheaper');
			await tap('Why?', 'Send');
			await tap('Late?', 'Decline');
			for (const [title, what] of [
				['Pay?', '“Approve”'],
				['Order 7', '“Accept”'],
				['Why?', 'Your answer'],
				['Late?', '“Decline”'],
			] as const)
				await eventually(async () =>
					expect(await result(title).innerText()).toBe(`No connection. ${what} will be sent.`),
				);
			expect(await choice('Pay?', 'Decline').getAttribute('aria-disabled')).toBe('true');
			await phone.fitsEverywhere('queued');
			await phone.page.setViewportSize(PORTRAIT);
		});

		it('also after a reload', async () => {
			await phone.page.reload();
			await phone.page.locator('.connection-pill').getByText('Offline').waitFor();
			await eventually(async () =>
				expect(await result('Pay?').innerText()).toBe('No connection. “Approve” will be sent.'),
			);
			await eventually(async () => expect(await field('Why?').inputValue()).toBe('It is cheaper'));
		});

		it('all of it is sent once there is one, once and in order', async () => {
			await api.withdraw(ids[2]!);
			bench.opened.context.on('request', (request) => {
				if (/taps$|answer$/.test(request.url())) sent.push(request.postData() ?? '');
			});
			await online(true);
			await phone.page.getByRole('button', { name: '5 more ended' }).click();
			await phone.notification('Pay?').getByText('Approved by owner').waitFor();
			await phone.notification('Why?').getByText('“It is cheaper” by owner').waitFor();
			await eventually(async () =>
				expect(await result('Order 7').getAttribute('data-kind')).toBe('called'),
			);
			expect(await answerOf(ids[0]!)).toMatchObject({ answer: { choice: 'yes' } });
			expect(await answerOf(ids[1]!)).toMatchObject({ answer: { text: 'It is cheaper' } });
			expect(bench.hooks.calls.splice(0)).toMatchObject([{ path: '/accept' }]);
			await phone.kept('reports', (json) => json === '[]');
			expect(new Set(sent).size).toBe(sent.length);
			expect(sent.map((body) => /yes|cheaper|delivery_id|"no"/.exec(body)?.[0])).toEqual([
				'yes',
				'delivery_id',
				'cheaper',
				'"no"',
			]);
		});

		it('but a card says if its question has ended meanwhile', async () => {
			const card = phone.notification('Late?');
			await card.getByText('Withdrawn, ').waitFor();
			await phone.expand('Late?');
			expect(await result('Late?').getAttribute('data-kind')).toBe('refused');
			expect(await result('Late?').innerText()).not.toBe('');
		});
	});

	describe('what came of a tap', () => {
		it('stays on the card and in the history, also after a reload', async () => {
			const reply = await result('Order 7').innerText();
			expect(reply).not.toBe('');
			await api.push({
				title: 'Refund 8',
				actions: [{ title: 'Refuse', type: 'webhook', url: bench.hooks.url('/fail/refuse') }],
			});
			await phone.expand('Refund 8');
			await phone.rest();
			await choice('Refund 8', 'Refuse').click();
			await phone.notification('Refund 8').getByText('503').waitFor();
			await phone.page.reload();
			await phone.live();
			await phone.notification('Refund 8').getByText('503').waitFor();
			expect(await phone.notification('Order 7').innerText()).toContain(reply);
			await phone.page.getByRole('button', { name: 'History', exact: true }).click();
			const entry = (title: string) =>
				phone.page.locator('.history-entry').filter({ hasText: title });
			await entry('Refund 8').getByText('503').waitFor();
			await entry('Order 7').getByText(reply).waitFor();
			await phone.fitsEverywhere('results');
		});
	});

	it('raised no error', () => {
		expect(bench.opened.complaints).toEqual([]);
	});
});
