import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Visit } from './support/browser.ts';
import type { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, startConsoleWorld } from './support/console-world.ts';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;
let phone: Visit;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	await world.enter();
	phone = await world.openPhone();
});

afterAll(() => world?.close());

describe('live now', () => {
	it('says what to do first while nothing runs', async () => {
		await owner.page.getByText('Nothing is running').waitFor();
		await app.screenshot('console-empty-light');
	});

	it('shows a Live Activity as it starts and moves, without a reload', async () => {
		const deployment = {
			type: 'segmented_progress',
			title: 'Deploy web',
			subtitle: 'Running the tests',
			number_of_steps: 4,
			current_step: 1,
			color: 'purple',
		};
		await world.api.stream('deploy', deployment, { tags: ['deploy', 'env:production'] });
		const card = owner.page.getByRole('region', { name: 'Deploy web' });
		await card.getByRole('progressbar', { name: 'Step 1 of 4' }).waitFor();
		await world.api.stream('deploy', { current_step: 3, subtitle: 'Publishing' });
		await card.getByRole('progressbar', { name: 'Step 3 of 4' }).waitFor();
		await card.getByText('for 1 phone').waitFor();
	});

	it('pauses, resumes and ends a stream', async () => {
		const card = owner.page.getByRole('region', { name: 'Deploy web' });
		await card.getByRole('button', { name: 'Pause' }).click();
		const paused = owner.page.getByRole('region', { name: 'deploy', exact: true });
		await paused.getByRole('button', { name: 'Resume' }).click();
		await card.waitFor();
		await card.getByRole('button', { name: 'End' }).click();
		await app.dialog().getByRole('button', { name: 'End' }).click();
		await owner.page.getByText('Nothing is running').waitFor();
	});
});

describe('devices', () => {
	it('shows a phone that is paired, and how it can be reached, at once', async () => {
		await app.open('Phones');
		await world.pair('Kitchen tablet');
		await app.card('Kitchen tablet').getByText('reachable only while open').waitFor();
		await app.card('Demo phone').getByText('Open now').waitFor();
	});

	it('sends a test push to one phone', async () => {
		await app.card('Demo phone').getByRole('button', { name: 'Send a test push' }).click();
		await app.card('Demo phone').getByText('Received: the phone has acknowledged it.').waitFor();
		await phone.page.getByText('It works').first().waitFor();
	});

	it('renames and disconnects one', async () => {
		await app.card('Kitchen tablet').getByRole('button', { name: 'Rename' }).click();
		await app.field('Name').fill('Hall tablet');
		await app.dialog().getByRole('button', { name: 'Rename' }).click();
		await app.card('Hall tablet').getByRole('button', { name: 'Disconnect' }).click();
		await app.dialog().getByRole('button', { name: 'Disconnect' }).click();
		await app.card('Hall tablet').getByText('Disconnected').waitFor();
	});
});

describe('channels, keys and metrics', () => {
	it('makes a channel and puts a person into it', async () => {
		await app.open('Channels');
		await app.button('New channel').click();
		await app.field('Slug').fill('On Call');
		await app.dialog().getByRole('button', { name: 'Create' }).click();
		await app
			.dialog()
			.getByText(/must be a channel slug/)
			.waitFor();
		await app.field('Slug').fill('on-call');
		await app.field('Name').fill('On call');
		await app.field('People, with all of their phones').press('Backspace');
		await app.dialog().getByRole('button', { name: 'Create' }).click();
		await app.card('On call').getByRole('button', { name: 'Change' }).click();
		await app.choose('People, with all of their phones', 'Olga');
		await owner.page.keyboard.press('Tab');
		await app.dialog().getByRole('button', { name: 'Save' }).click();
		await app.card('On call').getByText('reaches 1 phone').waitFor();
	});

	it('makes a channel by its name, with its creator in it', async () => {
		await app.button('New channel').click();
		await app.field('Name').fill('Büro Süd');
		expect(await app.field('Slug').inputValue()).toBe('buro-sud');
		expect(await app.findings()).toEqual([]);
		await app.dialog().getByRole('button', { name: 'Create' }).click();
		await app.card('Büro Süd').getByText('reaches 1 phone').waitFor();
	});

	it('shows a new key once, and revokes it', async () => {
		await app.open('API keys');
		await app.button('New key').click();
		await app.field('Name').fill('Order workflow');
		await app.dialog().getByRole('button', { name: 'Create' }).click();
		const key = app.dialog().getByText(/^bk_[\w-]{43}$/);
		await key.waitFor();
		const text = (await key.textContent()) ?? '';
		await owner.page.keyboard.press('Escape');
		await key.waitFor({ state: 'detached' });
		await owner.page.reload();
		const row = owner.page.getByRole('row', { name: /Order workflow/ });
		await row.getByText(`bk_…${text.slice(-4)}`).waitFor();
		await row.getByRole('button', { name: 'Revoke' }).click();
		await app.dialog().getByRole('button', { name: 'Revoke' }).click();
		await row.getByText('Revoked', { exact: true }).waitFor();
	});

	it('shows the lines of a sender key once, and later without the key', async () => {
		await app.open('API keys');
		await app.button('New key').click();
		await app.field('Name').fill('Uptime Kuma');
		await app.dialog().getByLabel('For another program').check();
		await app.choose('Channels', 'On call');
		await owner.page.keyboard.press('Tab');
		await app.dialog().getByRole('button', { name: 'Create' }).click();
		const key = app.dialog().getByText(/^bs_A[\w-]{14}$/);
		await key.waitFor();
		const text = (await key.textContent()) ?? '';
		const lines = (program: string) => app.dialog().getByRole('region', { name: program });
		await lines('Alertmanager').getByText(`credentials: ${text}`).waitFor();
		await lines('Shell, cron').getByText('/ntfy/on-call').waitFor();
		await owner.page.keyboard.press('Escape');
		await key.waitFor({ state: 'detached' });
		const row = owner.page.getByRole('row', { name: /Uptime Kuma/ });
		await row.getByText(`bs_…${text.slice(-4)}`).waitFor();
		await row.getByRole('button', { name: 'Set up' }).click();
		await app.dialog().getByText('Last accepted request: Never').waitFor();
		await lines('Alertmanager').getByText('credentials: YOUR_KEY').waitFor();
		expect(await app.dialog().textContent()).not.toContain(text);
		await owner.page.keyboard.press('Escape');
	});

	it('makes a metric and draws its values as they come', async () => {
		await app.open('Metrics');
		await app.button('New metric').click();
		await app.field('Key').fill('orders.today');
		await app.field('Name').fill('Orders today');
		await app.dialog().getByRole('button', { name: 'Create' }).click();
		const card = app.card('Orders today');
		await card.getByText('No value yet').waitFor();
		for (const value of [3, 5, 4, 9, 12]) await world.api.metric('orders.today', value);
		for (const value of [980, 1040, 1110, 1204]) await world.api.metric('revenue.today', value);
		for (const value of [31, 44, 38, 52, 41]) await world.api.metric('cpu.load', value);
		await world.api.metric('build.status', 'passing');
		await card.getByRole('img', { name: 'The last 5 values, from 3 to 12' }).waitFor();
	});

	it('renames a metric and shows it in another format', async () => {
		await app.card('Orders today').getByRole('button', { name: 'Change' }).click();
		await app.field('Name').fill('Latency');
		await app.choose('Format', 'Number with a unit');
		await app.dialog().getByRole('button', { name: 'Save' }).click();
		await app.dialog().getByText('Unit is required for this format').waitFor();
		await app.field('Unit').fill('ms');
		expect(await app.findings()).toEqual([]);
		await app.dialog().getByRole('button', { name: 'Save' }).click();
		await app.card('Latency').getByText('12 ms').waitFor();
		await eventually(async () => expect(await app.focused()).toBe('Change Latency'));
	});

	it.each([
		['Metrics', ['metric', 'create', '--format', 'number', '--key'], 'Delete 2 metrics'],
		['API keys', ['key', 'create'], 'Revoke 2 keys'],
	])('of %s, several go at once', async (page, words, action) => {
		for (const name of ['Old one', 'Old two']) {
			const key = words.at(-1) === '--key' ? [name.toLowerCase().replace(' ', '.')] : [];
			await world.server.command(...words, ...key, '--name', name, '--account', 'demo');
		}
		await app.open('Channels');
		await app.open(page);
		for (const name of ['Old one', 'Old two'])
			await owner.page.getByLabel(`Select ${name}`).check();
		expect(await app.findings()).toEqual([]);
		await app.button(action).click();
		await app.dialog().getByRole('button', { name: action }).click();
		for (const name of ['Old one', 'Old two'])
			await owner.page.getByLabel(`Select ${name}`).waitFor({ state: 'detached' });
	});
});
