import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually, visit, type Visit } from './support/browser.ts';
import { ClosedPhone } from './support/closed-phone.ts';
import { PhonePage } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

const CHOICES = [
	{ id: 'yes', title: 'Approve' },
	{ id: 'no', title: 'Decline', destructive: true },
];

/** Questions on two phones of one person. */
describe('a question of a workflow on the phone page', () => {
	let bench: Bench;
	let api: Api;
	let phone: PhonePage;
	let otherVisit: Visit;
	let other: PhonePage;

	beforeAll(async () => {
		bench = await openBench('Bakery', { viewport: { width: 390, height: 844 } });
		({ api, phone } = bench);
		await bench.pair();
		otherVisit = await visit(bench.browser, { viewport: { width: 390, height: 844 } });
		other = new PhonePage(otherVisit.page);
		await bench.pair(other);
	});

	afterAll(async () => {
		await bench.close();
	});

	const button = (page: PhonePage, title: string, name: string) =>
		page.notification(title).getByRole('button', { name: `${name}: ${title}`, exact: true });
	const endOn = (page: PhonePage, title: string) => page.notification(title).locator('.answer');
	const isExpanded = (page: PhonePage, title: string) =>
		page.notification(title).locator('.expand-button').getAttribute('aria-expanded');
	const topOf = async (page: PhonePage, selector: string) =>
		(await page.page.locator(selector).first().boundingBox())?.y ?? Number.NaN;

	it('comes first, unfolded, above Live Activities and newer pushes', async () => {
		await api.stream('oven', { type: 'alert', title: 'Oven', message: '180 °C' });
		await api.ask({
			title: 'Deploy?',
			message: 'Version 4.2 to production.',
			choices: CHOICES,
			text: { placeholder: 'Or say when', max_length: 20 },
			link: { title: 'Open the form', url: 'https://example.com/form' },
			deadline: { after_seconds: 7_500 },
		});
		await api.push({ title: 'News' });
		for (const title of ['Deploy?', 'News']) await phone.notification(title).waitFor();
		await phone.activity('Oven').waitFor();
		await phone.rest();
		expect(await isExpanded(phone, 'Deploy?')).toBe('true');
		const [question, activity, news] = [
			await topOf(phone, '.questions'),
			await topOf(phone, '.activities'),
			await topOf(phone, '.notifications'),
		];
		expect(question).toBeLessThan(activity);
		expect(activity).toBeLessThan(news);
		const card = phone.notification('Deploy?');
		expect(await card.locator('.question-terms').innerText()).toBe(
			'Everybody who got it may answer. 2 hours left.',
		);
		const link = card.getByRole('link', { name: 'Open the form: Deploy?' });
		expect(await link.getAttribute('href')).toBe('https://example.com/form');
		const field = card.getByLabel('Answer: Deploy?');
		expect(await field.getAttribute('placeholder')).toBe('Or say when');
		expect(await field.getAttribute('maxlength')).toBe('20');
		const colors = await Promise.all(
			['Approve', 'Decline'].map((name) =>
				button(phone, 'Deploy?', name).evaluate((one) => getComputedStyle(one).color),
			),
		);
		expect(new Set(colors).size).toBe(2);
		await phone.screenshots('question');
		expect(await phone.findings()).toEqual([]);
	});

	it('stays when everything else is cleared', async () => {
		await phone.page.getByRole('button', { name: 'Clear all' }).click();
		await phone.notification('News').waitFor({ state: 'detached' });
		await phone.page.reload();
		await phone.live();
		await button(phone, 'Deploy?', 'Approve').waitFor();
		expect(await phone.page.getByRole('button', { name: 'Clear all' }).isEnabled()).toBe(false);
	});

	it('is answered by a choice, which every phone shows', async () => {
		await button(other, 'Deploy?', 'Decline').waitFor();
		await phone.tap(button(phone, 'Deploy?', 'Approve'));
		for (const page of [phone, other]) {
			await eventually(async () =>
				expect(await endOn(page, 'Deploy?').innerText()).toMatch(/^Approved by owner, \d/),
			);
			await page.expand('Deploy?');
			for (const name of ['Approve', 'Decline'])
				expect(await button(page, 'Deploy?', name).isDisabled()).toBe(true);
			expect(await page.notification('Deploy?').getByLabel('Answer: Deploy?').count()).toBe(0);
		}
		expect(await phone.findings()).toEqual([]);
		await phone.page.reload();
		await phone.live();
		await endOn(phone, 'Deploy?').waitFor();
	});

	it('is answered by a text', async () => {
		const { question_id: id } = await api.ask({ title: 'When?', text: { multiline: true } });
		const field = phone.notification('When?').getByLabel('Answer: When?');
		expect(await field.evaluate((one) => one.tagName)).toBe('TEXTAREA');
		expect(await button(phone, 'When?', 'Send').isDisabled()).toBe(true);
		await field.fill('At nine\nor ten');
		await phone.tap(button(phone, 'When?', 'Send'));
		await eventually(async () =>
			expect(await endOn(phone, 'When?').innerText()).toMatch(/^“At nine\s+or ten” by owner, /),
		);
		expect(await api.question(id)).toMatchObject({
			status: 'answered',
			answer: { text: 'At nine\nor ten', by: { user: 'owner' } },
		});
		// The field that had focus is gone; the keyboard goes on from its card.
		const hasFocus = () =>
			phone.page.evaluate(() => document.activeElement?.closest('.notification') !== null);
		await eventually(async () => expect(await hasFocus()).toBe(true));
	});

	it('says whose answer counts to a phone that has not heard of it', async () => {
		await api.ask({ title: 'Release?', choices: CHOICES });
		await button(other, 'Release?', 'Decline').waitFor();
		await otherVisit.context.route('**/device/events*', (route) => route.abort());
		await other.page.reload();
		await button(other, 'Release?', 'Decline').waitFor();
		await phone.tap(button(phone, 'Release?', 'Approve'));
		await endOn(phone, 'Release?').waitFor();
		await other.tap(button(other, 'Release?', 'Decline'));
		const result = other.notification('Release?').locator('.action-result[data-kind=refused]');
		await result.waitFor();
		expect(await result.innerText()).toMatch(/^Already answered: Approved by owner, /);
		expect(await endOn(other, 'Release?').innerText()).toMatch(/^Approved by owner, /);
		await otherVisit.context.unroute('**/device/events*');
		await other.page.reload();
		await other.live();
	});

	it('says that it was withdrawn', async () => {
		const { question_id: id } = await api.ask({ title: 'Order?', choices: CHOICES });
		await button(phone, 'Order?', 'Approve').waitFor();
		await api.withdraw(id);
		for (const page of [phone, other])
			await eventually(async () =>
				expect(await endOn(page, 'Order?').innerText()).toMatch(/^Withdrawn, \d/),
			);
		await phone.expand('Order?');
		expect(await button(phone, 'Order?', 'Approve').isDisabled()).toBe(true);
	});

	it('says who may answer, and takes no answer of anybody else', async () => {
		await bench.server.command('user', 'add', '--account', bench.account, '--name', 'Grace');
		const words = ['--account', bench.account, '--user', 'Grace'];
		const code = await bench.server.command<{ code: string }>('device', 'pair-code', ...words);
		const hers = await visit(bench.browser, { viewport: { width: 390, height: 844 } });
		const grace = new PhonePage(hers.page);
		await hers.page.goto(`${bench.server.url}/phone#code=${code.code}`);
		await grace.pair();
		await grace.live();
		await api.ask({
			title: 'Pay?',
			choices: CHOICES,
			text: {},
			answerable_by: ['owner'],
		});
		for (const page of [phone, grace]) {
			const terms = page.notification('Pay?').locator('.question-terms');
			expect(await terms.innerText()).toBe('Only owner may answer.');
		}
		expect(await button(phone, 'Pay?', 'Approve').isDisabled()).toBe(false);
		expect(await button(grace, 'Pay?', 'Approve').isDisabled()).toBe(true);
		expect(await grace.notification('Pay?').getByLabel('Answer: Pay?').isDisabled()).toBe(true);
		expect(await grace.findings()).toEqual([]);
		await hers.context.close();
	});

	it('has its buttons in the history, also when it was dismissed', async () => {
		await api.ask({ title: 'Bake?', choices: CHOICES });
		await button(phone, 'Bake?', 'Approve').waitFor();
		await phone.dismiss('notification', 'Bake?');
		await phone.notification('Bake?').waitFor({ state: 'detached' });
		await phone.page.getByRole('button', { name: 'History' }).first().click();
		const entry = phone.page.locator('.history-entry').filter({ hasText: 'Bake?' });
		await entry.getByRole('button', { name: 'Approve: Bake?' }).click();
		await eventually(async () =>
			expect(await entry.locator('.answer').innerText()).toMatch(/^Approved by owner, /),
		);
		expect(await phone.findings()).toEqual([]);
		await phone.page.getByRole('button', { name: 'Back' }).click();
		await eventually(async () =>
			expect(await endOn(other, 'Bake?').innerText()).toMatch(/^Approved by owner, /),
		);
	});

	it('raised no error', () => {
		expect(bench.opened.complaints).toEqual([]);
	});
});

/** The system's notification of a phone with a closed page. */
describe('a question of a workflow in the system’s notification', () => {
	let bench: Bench;
	let closed: ClosedPhone;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		closed = await ClosedPhone.of(bench);
		const { context } = bench.opened;
		await context.grantPermissions(['notifications'], { origin: bench.server.url });
		await bench.pair();
		const { page } = bench.phone;
		await bench.phone.setting('Notifications').and(page.locator('[aria-checked=true]')).waitFor();
		await page.goto('about:blank');
		await closed.takesOver(() => bench.api.push({ title: 'Is it closed?' }));
	});

	afterAll(async () => {
		await closed.close();
		await bench.close();
	});

	it('is answered by one of its first two choices', async () => {
		const choices = [...CHOICES, { id: 'later', title: 'Later' }];
		const { question_id: id } = await bench.api.ask({ title: 'Deploy?', choices });
		expect((await closed.notification('Deploy?')).actions).toMatchObject([
			{ action: '0', title: 'Approve' },
			{ action: '1', title: 'Decline' },
		]);
		await closed.tap('Deploy?', '1');
		expect(await bench.api.question(id)).toMatchObject({
			status: 'answered',
			answer: { choice: 'no', by: { user: 'owner' } },
		});
		await eventually(async () =>
			expect(await closed.notifications()).toMatchObject([
				{ title: 'Deploy?', body: expect.stringMatching(/^✓ Declined by owner, /), actions: [] },
			]),
		);
	});

	it('is answered once the network is back, by the same tap', async () => {
		const { question_id: id } = await bench.api.ask({ title: 'Release?', choices: CHOICES });
		await closed.notification('Release?');
		await bench.server.stop();
		await closed.tap('Release?', '0');
		await bench.server.start();
		await closed.sync();
		await eventually(async () =>
			expect(await bench.api.question(id)).toMatchObject({ answer: { choice: 'yes' } }),
		);
	});
});
