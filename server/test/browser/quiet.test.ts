import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually, type Visit, visit } from './support/browser.ts';
import { PhonePage } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

/** What a person chooses for this phone, and for all of theirs. */
describe('the choices of a person', () => {
	let bench: Bench;
	let api: Api;
	let phone: PhonePage;
	let otherVisit: Visit;
	let other: PhonePage;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ api, phone } = bench);
		for (let n = 1; n <= 8; n += 1) {
			const words = ['--account', 'Bakery', '--key', `m${n}`, '--name', `Metric ${n}`];
			await bench.server.command('metric', 'create', ...words, '--format', 'number');
			if (n < 8) await api.metric(`m${n}`, n);
		}
		await bench.pair();
		otherVisit = await visit(bench.browser);
		other = new PhonePage(otherVisit.page);
		await bench.pair(other);
	});

	afterAll(async () => {
		await bench.close();
	});

	const panel = () => phone.page.locator('.beside');
	const quietPill = () => phone.page.locator('.quiet-pill');

	describe('a quiet phone', () => {
		it('is muted for an hour, and says so', async () => {
			await panel().getByRole('button', { name: 'Mute for 1 hour' }).click();
			await panel().getByText('Muted until').waitFor();
			await quietPill().waitFor();
		});

		it('shows what is held back, silently and marked', async () => {
			await api.push({ title: 'Later' });
			await phone.notification('Later').getByText('Held back').waitFor();
			expect(await phone.page.getByTestId('announcer').textContent()).not.toContain('Later');
			await other.notification('Later').waitFor();
			expect(await other.notification('Later').getByText('Held back').count()).toBe(0);
			await phone.page.getByRole('button', { name: 'History' }).click();
			const history = phone.page.getByRole('region', { name: 'History' });
			const entry = history.getByRole('article').filter({ hasText: 'Later' });
			await entry.getByText('Held back').waitFor();
			await phone.page.getByRole('button', { name: 'Back' }).click();
		});

		it('gets one summary once it is no longer muted', async () => {
			await panel().getByRole('button', { name: 'Unmute' }).click();
			await quietPill().waitFor({ state: 'detached' });
			await phone.notification('1 notification was held back').waitFor({ timeout: 30_000 });
		});

		it('keeps quiet hours, days and a level', async () => {
			await phone.setting('Quiet hours').click();
			await panel().getByLabel('From').fill('21:15');
			await Promise.all([
				phone.page.waitForResponse(
					(answer) => answer.request().postData()?.includes('06:45') ?? false,
				),
				panel().getByLabel('To', { exact: true }).fill('06:45'),
			]);
			await Promise.all([
				phone.page.waitForResponse('**/device/quiet'),
				panel().getByRole('button', { name: 'Sunday' }).click(),
			]);
			await Promise.all([
				phone.page.waitForResponse('**/device/quiet'),
				panel().getByLabel('Notify me about').selectOption('time-sensitive'),
			]);
			await phone.page.reload();
			await phone.live();
			await eventually(async () => {
				expect(await panel().getByLabel('From').inputValue()).toBe('21:15');
				expect(await panel().getByLabel('To', { exact: true }).inputValue()).toBe('06:45');
				const sunday = panel().getByRole('button', { name: 'Sunday' });
				expect(await sunday.getAttribute('aria-pressed')).toBe('false');
				expect(await panel().getByLabel('Notify me about').inputValue()).toBe('time-sensitive');
			});
			await panel().getByLabel('Notify me about').selectOption('passive');
			await phone.setting('Quiet hours').click();
			await panel().getByLabel('From').waitFor({ state: 'detached' });
		});
	});

	describe('seen once', () => {
		it('takes what is dismissed here off the other phone', async () => {
			await api.push({ title: 'Both' });
			await api.stream('both', { type: 'value', title: 'Both run', value: 1 });
			await other.activity('Both run').waitFor();
			await phone.setting('Dismiss everywhere').click();
			await eventually(async () =>
				expect(await phone.setting('Dismiss everywhere').getAttribute('aria-checked')).toBe('true'),
			);
			await phone.dismiss('notification', 'Both');
			await phone.dismiss('activity', 'Both run');
			await other.notification('Both').waitFor({ state: 'detached' });
			await other.activity('Both run').waitFor({ state: 'detached' });
		});
	});

	describe('metrics', () => {
		const onScreen = (page: PhonePage) => page.page.locator('.widget-name').allInnerTexts();

		it('are two rows, without those that have no value', async () => {
			expect(await onScreen(phone)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `Metric ${n}`));
		});

		it('are all in their list, where they are moved and hidden', async () => {
			await phone.page.getByRole('button', { name: 'All metrics' }).click();
			await phone.page.getByText('No value yet').waitFor();
			await phone.page.getByRole('button', { name: 'Move Metric 2 up' }).click();
			await phone.page.getByRole('switch', { name: 'Show Metric 3 on the lock screen' }).click();
			await phone.page.keyboard.press('Escape');
			const chosen = [2, 1, 4, 5, 6, 7].map((n) => `Metric ${n}`);
			await eventually(async () => expect(await onScreen(phone)).toEqual(chosen));
			await other.page.reload();
			await other.live();
			await eventually(async () => expect(await onScreen(other)).toEqual(chosen));
		});
	});

	describe('the history', () => {
		it('is filtered by channel, level and tag', async () => {
			const channel = ['--account', 'Bakery', '--slug', 'ops', '--name', 'Operations'];
			await bench.server.command('channel', 'create', ...channel);
			const assign = ['--account', 'Bakery', '--channel', 'ops', '--users', 'owner'];
			await bench.server.command('channel', 'assign', ...assign);
			await api.push({ title: 'Critical one', interruption_level: 'critical', tags: ['disk'] });
			await api.push({ title: 'For ops', target: { channels: ['ops'] } });
			await phone.page.getByRole('button', { name: 'History' }).click();
			const titles = () => phone.page.locator('.history-title').allInnerTexts();
			await phone.page.getByLabel('Level').selectOption('critical');
			await eventually(async () => expect(await titles()).toEqual(['Critical one']));
			await phone.page.getByLabel('Level').selectOption('');
			await phone.page.getByRole('combobox', { name: 'Channel' }).selectOption('ops');
			await eventually(async () => expect(await titles()).toEqual(['For ops']));
			await phone.page.getByRole('combobox', { name: 'Channel' }).selectOption('');
			await phone.page.getByLabel('Tag', { exact: true }).fill('disk');
			await eventually(async () => expect(await titles()).toEqual(['Critical one']));
			await phone.page.getByLabel('Tag', { exact: true }).fill('none');
			await phone.page.getByText('No results.').waitFor();
		});
	});

	it('raised no error', () => {
		expect(bench.opened.complaints).toEqual([]);
	});
});
