import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually, visit, type Visit } from './support/browser.ts';
import { PhonePage } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

/** The card's text after a tap on “Approve”, at any time of day. */
const APPROVED = /^Approved by owner, \d{1,2}:\d\d/;

/** A question on two phones of one person, from its arrival to its answer. */
describe('a question on the phone page', () => {
	let bench: Bench;
	let api: Api;
	let phone: PhonePage;
	let otherVisit: Visit;
	let other: PhonePage;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ api, phone } = bench);
		await bench.pair();
		otherVisit = await visit(bench.browser);
		other = new PhonePage(otherVisit.page);
		await bench.pair(other);
	});

	afterAll(async () => {
		await bench.close();
	});

	const webhook = (title: string, path: string) => ({
		title,
		type: 'webhook',
		url: bench.hooks.url(path),
	});
	const ask = (title: string) =>
		api.push({ title, actions: [webhook('Approve', '/final'), webhook('Decline', '/final')] });
	const answerOn = (page: PhonePage, title: string) => page.notification(title).locator('.answer');

	it('is unfolded when it is the newest, although other pushes came after it', async () => {
		await ask('Older question?');
		await ask('Release?');
		await api.push({ title: 'News' });
		await phone.notification('News').waitFor();
		const card = phone.notification('Release?');
		expect(await card.getByRole('button', { name: 'Approve' }).isVisible()).toBe(true);
		expect(await card.locator('.expand-button').getAttribute('aria-expanded')).toBe('true');
		// Its card moves out of sight first.
		await phone.notification('Older question?').waitFor({ state: 'detached' });
	});

	it('shows its answer on every phone, and closes its buttons', async () => {
		const asked = other.notification('Release?');
		await asked.getByRole('button', { name: 'Decline' }).waitFor();
		await phone.tap(phone.notification('Release?').getByRole('button', { name: 'Approve' }));
		await phone.notification('Release?').locator('.action-result[data-kind=called]').waitFor();
		await answerOn(other, 'Release?').waitFor();
		for (const page of [phone, other]) {
			expect(await answerOn(page, 'Release?').innerText()).toMatch(APPROVED);
			await page.expand('Release?');
			for (const name of ['Approve', 'Decline'])
				expect(await page.notification('Release?').getByRole('button', { name }).isDisabled()).toBe(
					true,
				);
		}
		expect(bench.hooks.calls.splice(0)).toHaveLength(1);
	});

	it('leaves the place of the unfolded question to the one before it', async () => {
		const older = other.notification('Older question?');
		await older.getByRole('button', { name: 'Approve' }).waitFor();
	});

	it('shows its answer after a reload', async () => {
		await other.page.reload();
		await other.live();
		await eventually(async () =>
			expect(await answerOn(other, 'Release?').innerText()).toMatch(APPROVED),
		);
		await other.expand('Release?');
		const decline = other.notification('Release?').getByRole('button', { name: 'Decline' });
		expect(await decline.isDisabled()).toBe(true);
	});

	it('shows its answer in the history', async () => {
		await other.page.getByRole('button', { name: 'History' }).first().click();
		const entry = other.page.locator('.history-entry').filter({ hasText: 'Release?' });
		// Text that slides in has no innerText yet.
		await eventually(async () =>
			expect(await entry.locator('.answer').innerText()).toMatch(APPROVED),
		);
		await other.page.getByRole('button', { name: 'Back' }).click();
	});

	it('refuses a tap of a phone that has not heard of the answer, without a tick', async () => {
		await otherVisit.context.route('**/device/events*', (route) => route.abort());
		await other.page.reload();
		const late = other.notification('Older question?').getByRole('button', { name: 'Decline' });
		await late.waitFor();
		await phone.tap(phone.notification('Older question?').getByRole('button', { name: 'Approve' }));
		await answerOn(phone, 'Older question?').waitFor();
		await late.click();
		const card = other.notification('Older question?');
		await card.locator('.action-result[data-kind=refused]').waitFor();
		expect(await card.locator('.action-result').innerText()).toMatch(
			/^Already answered: Approved by owner, .*This tap changed nothing\.$/,
		);
		expect(bench.hooks.calls.splice(0)).toHaveLength(1);
		await otherVisit.context.unroute('**/device/events*');
		await other.page.reload();
		await other.live();
	});

	it('shows its last tap, and may be answered again, where the webhook does not call it final', async () => {
		await api.push({ title: 'Volume', actions: [webhook('Louder', '/open')] });
		const louder = phone.notification('Volume').getByRole('button', { name: 'Louder' });
		await phone.tap(louder);
		await eventually(async () =>
			expect(await answerOn(phone, 'Volume').innerText()).toMatch(/^“Louder” by owner, /),
		);
		// The answer may be shown before the tap itself is answered.
		await eventually(async () => expect(await louder.isDisabled()).toBe(false));
	});

	describe('on a Live Activity', () => {
		const STATE = { type: 'alert', title: 'Deploy?', message: 'Version 4.2' };
		const BUTTONS = () => ({
			action: webhook('Approve', '/final'),
			secondary_action: webhook('Decline', '/final'),
		});
		const areDisabled = async (page: PhonePage, title: string) => {
			const buttons = page.activity(title).locator('.action');
			return buttons.evaluateAll((all) => all.map((one) => (one as HTMLButtonElement).disabled));
		};

		it('shows its answer on every phone, and after a reload', async () => {
			await api.stream('deploy', STATE, BUTTONS());
			await phone.tap(phone.activity('Deploy?').getByRole('button', { name: 'Approve' }));
			await other.activity('Deploy?').locator('.answer').waitFor();
			await phone.page.reload();
			await phone.live();
			for (const page of [phone, other]) {
				expect(await page.activity('Deploy?').locator('.answer').innerText()).toMatch(APPROVED);
				expect(await areDisabled(page, 'Deploy?')).toEqual([true, true]);
			}
		});

		it('has no button to tap when it has ended without an answer', async () => {
			await api.stream('over', { ...STATE, title: 'Over?' }, BUTTONS());
			await phone.activity('Over?').waitFor();
			await api.endStream('over', { type: 'alert' });
			await phone.activity('Over?').getByText('Ended').waitFor();
			expect(await areDisabled(phone, 'Over?')).toEqual([true, true]);
			expect(await phone.activity('Over?').locator('.answer').count()).toBe(0);
		});
	});

	it('raised no error', () => {
		expect(bench.opened.complaints).toEqual([]);
	});
});
