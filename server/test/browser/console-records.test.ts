import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Visit } from './support/browser.ts';
import type { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, startConsoleWorld } from './support/console-world.ts';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

beforeAll(async () => {
	// The tests send more within a minute than an account may.
	world = await startConsoleWorld();
	({ owner, app } = world);
	await world.enter();
});

afterAll(() => world?.close());

const link = (name: string) => owner.page.getByRole('link', { name, exact: true });
const rows = () => owner.page.locator('.entries tbody tr');

describe('history', () => {
	it('shows what is sent while it is open', async () => {
		await app.open('History');
		await owner.page.getByText('Nothing sent yet').waitFor();
		await world.api.push({ title: 'Your order is on its way' });
		await app.button('Your order is on its way').waitFor();
	});

	it('finds what was sent by its words, and shows what became of it', async () => {
		await world.api.push({
			title: 'Disk almost full',
			message: 'db-2 has 4 % left',
			tags: ['alert'],
		});
		await app.arrival('Disk almost full');
		await app.field('Search').fill('db-2 left');
		await app.button('Your order is on its way').waitFor({ state: 'detached' });
		await app.button('Disk almost full').click();
		await app.dialog().getByText('stored until opened', { exact: true }).waitFor();
		await app.dialog().getByText('Demo phone').waitFor();
		expect(await app.findings()).toEqual([]);
		await app.screenshot('console-history-entry-light');
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'detached' });
		expect(await app.focused()).toBe('Disk almost full');
	});

	it('shows in each line how the phones fare, while they open', async () => {
		const line = app.row(/Disk almost full/);
		await line.getByText('1 stored until opened').waitFor();
		await line.locator('.state-bar [data-color="gray"]').waitFor();
		await app.button('Disk almost full').click();
		const state = app.dialog().getByRole('button', { name: '1 stored until opened' });
		await state.click();
		expect(await state.getAttribute('aria-pressed')).toBe('true');
		await app.dialog().getByText('Demo phone').waitFor();
		const phone = await world.openPhone();
		await app.dialog().getByText('No phone matches.').waitFor();
		for (const width of [390, 1440]) {
			await owner.page.setViewportSize({ width, height: 860 });
			expect(await app.findings()).toEqual([]);
			expect(await app.tooWide()).toEqual([]);
		}
		await owner.page.setViewportSize({ width: 1280, height: 860 });
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'detached' });
		await line.getByText('1 received').waitFor();
		await line.locator('.state-bar [data-color="green"]').waitFor();
		await phone.context.close();
	});

	it('opens an entry anywhere in its line, which has the message’s text', async () => {
		await app
			.row(/Disk almost full/)
			.getByText('db-2 has 4 % left')
			.click();
		await app.dialog().getByText('Demo phone').waitFor();
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'detached' });
		expect(await app.focused()).toBe('Disk almost full');
	});

	it('sends an entry again, and opens it in the Playground', async () => {
		await app.field('Search').fill('');
		await world.api.push({ title: 'Backup failed', message: 'Disk 2 is full' });
		await app.arrival('Backup failed');
		await app.button('Backup failed').click();
		await app.dialog().getByRole('button', { name: 'Send again' }).click();
		await app.dialog().getByText('Sent to the same recipients.').waitFor();
		await app.dialog().getByRole('button', { name: 'Open in Playground' }).click();
		await app.heading('Playground').waitFor();
		await eventually(async () =>
			expect([
				await app.field('Title').inputValue(),
				await app.field('Message').inputValue(),
			]).toEqual(['Backup failed', 'Disk 2 is full']),
		);
		await owner.page.getByRole('region', { name: 'Preview' }).getByText('Disk 2 is full').waitFor();
		await app.open('History');
		await eventually(async () => expect(await app.button('Backup failed').count()).toBe(2));
	});

	it('shows how the one sent again fared, and returns to the line it was opened from', async () => {
		const title = 'Restore failed';
		await world.api.push({ title });
		await app.arrival(title);
		await app.button(title).click();
		const first = new URL(owner.page.url()).hash;
		await app.dialog().getByRole('button', { name: 'Send again' }).click();
		const next = app.dialog().getByRole('button', { name: 'Show the new entry' });
		await next.waitFor();
		// The button moves when the state beside it arrives, perhaps in the middle of a click.
		await eventually(async () => {
			if (await next.isVisible()) await next.click({ timeout: 5_000 });
			expect(new URL(owner.page.url()).hash).not.toBe(first);
		});
		await app.dialog().getByText('Console', { exact: true }).waitFor();
		await app.dialog().getByText('stored until opened', { exact: true }).waitFor();
		expect(await app.findings()).toEqual([]);
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'detached' });
		expect(await app.focused()).toBe(title);
	});

	it('shows what waits for an answer', async () => {
		await world.api.push({
			title: 'Approve?',
			actions: [{ title: 'Yes', type: 'webhook', url: 'https://example.com/yes' }],
		});
		await app.choose('Outcome', 'Unanswered');
		await app.button('Approve?').waitFor();
		expect(await rows().count()).toBe(1);
		expect(new URL(owner.page.url()).hash).toBe('#/history?outcome=unanswered');
		await app.choose('Outcome', 'Failed');
		await owner.page.getByText('No matches').waitFor();
		await app.button('Clear the filters').click();
		await app.button('Approve?').waitFor();
	});

	it('filters by tag and kind, and says so when nothing fits', async () => {
		await world.api.stream(
			'deploy',
			{ type: 'progress', title: 'Deploy web', percentage: 40 },
			{ tags: ['deploy'] },
		);
		await app.field('Search').fill('');
		await app.field('Tags').fill('deploy');
		await app.button('Deploy web').first().waitFor();
		await app.choose('Kind', 'Push');
		await owner.page.getByText('No matches').waitFor();
		await app.button('Clear the filters').click();
		await app.button('Disk almost full').waitFor();
	});

	it('keeps the filters in the address, for a reload and for going back', async () => {
		await app.field('Tags').fill('deploy');
		await app.button('Disk almost full').waitFor({ state: 'detached' });
		expect(new URL(owner.page.url()).hash).toBe('#/history?tags=deploy');
		await owner.page.reload();
		await app.button('Deploy web').waitFor();
		expect(await app.field('Tags').inputValue()).toBe('deploy');
		await app.open('Phones');
		await owner.page.goBack();
		await app.button('Deploy web').waitFor();
		expect(await app.button('Disk almost full').count()).toBe(0);
		await app.field('Tags').fill('');
	});

	it('has a page for the newest and pages for older entries, none of which is left out', async () => {
		for (let sent = 0; sent < 55; sent += 1) await world.api.push({ title: `Order ${sent}` });
		await app.arrival('Order 54');
		await app.button('Order 5').waitFor();
		expect(await rows().count()).toBe(50);
		await link('Older').click();
		await app.button('Order 4').waitFor();
		await app.button('Your order is on its way').waitFor();
		await world.api.push({ title: 'The newest' });
		await link('Newest').click();
		await app.arrival('The newest');
		expect(await rows().count()).toBe(50);
		await owner.page.goBack();
		await app.button('Your order is on its way').waitFor();
	});

	it('exports the lines as CSV', async () => {
		const [download] = await Promise.all([
			owner.page.waitForEvent('download'),
			owner.page.getByRole('link', { name: 'Export as CSV' }).click(),
		]);
		expect(download.suggestedFilename()).toBe('beckon-history.csv');
	});
});

describe('usage and limits', () => {
	it('shows what is left, what was requested, and the plan', async () => {
		await app.open('Usage and limits');
		await owner.page.getByText('Push notifications').waitFor();
		await owner.page.getByText(/Successful: [1-9]/).waitFor();
		await owner.page.getByRole('region', { name: 'Plan' }).getByText('No limit').first().waitFor();
	});
});
