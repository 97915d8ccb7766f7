import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Visit, visit } from './support/browser.ts';
import { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, PASSWORD, startConsoleWorld } from './support/console-world.ts';
import { apiOf } from './support/server.ts';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	await world.enter();
});

afterAll(() => world?.close());

const steps = () => owner.page.getByRole('region', { name: 'First steps' });
const done = (words: string) =>
	steps()
		.getByRole('listitem')
		.filter({ hasText: `${words} (done)` });

it('tells the first steps, and ticks each as it is done', async () => {
	// The demo's phone is paired, its notifications are off, and nothing was sent.
	await steps().getByText('2 of 3 done').waitFor();
	await done('Set up your account').waitFor();
	await done('Open Beckon on a phone, or in this browser').waitFor();
	await steps().getByText('allow notifications there').waitFor();
	for (const colorScheme of ['light', 'dark'] as const) {
		await owner.page.emulateMedia({ colorScheme });
		expect(await app.findings()).toEqual([]);
		await app.screenshot(`console-first-steps-${colorScheme}`);
	}
	await steps().getByRole('link', { name: 'try the Playground' }).click();
	await app.send().click();
	await owner.page.getByText('Sent to 1 phone').waitFor();
	await app.open('Live now');
	await steps().getByText('Last sent: New order').waitFor();
	// It has to arrive: the phone's page is closed, and nothing wakes it.
	await world.api.push({ title: 'From a workflow' });
	await steps().getByText('Last sent: From a workflow').waitFor();
	await steps().getByText('1 stored until opened').waitFor();
	await steps().getByText('2 of 3 done').waitFor();
});

it('says how programs other than n8n send', async () => {
	await steps()
		.getByRole('link', { name: /Send from ntfy, gotify/ })
		.click();
	await app.dialog().getByText('New API key').waitFor();
	expect(await app.dialog().getByLabel('For another program').isChecked()).toBe(true);
	await owner.page.keyboard.press('Escape');
	await app.dialog().waitFor({ state: 'detached' });
});

it('says how notifications are turned on, by a link that looks like a link', async () => {
	await app.open('Live now');
	const link = steps().getByRole('link', { name: /Send from ntfy, gotify/ });
	expect(await link.evaluate((one) => getComputedStyle(one).textDecorationLine)).toBe('underline');
	await steps().getByRole('link', { name: 'Show the phones' }).click();
	await app.card('Demo phone').getByText('Notifications are off').waitFor();
});

it('tells a member only the steps that a member can do', async () => {
	const link = await app.inviteLink();
	const other = await visit(world.browser);
	const member = new ConsolePage(other.page);
	await member.join(link, { name: 'Mia', email: 'mia@example.com', password: PASSWORD });
	await other.page.getByText('2 of 3 done').waitFor();
	expect(await other.page.getByRole('link', { name: /Create an API key|ntfy/ }).count()).toBe(0);
	await other.context.close();
	await app.open('Live now');
});

it('has room for the words of each step on a phone', async () => {
	await app.open('Live now');
	await owner.page.setViewportSize({ width: 390, height: 844 });
	const words = steps().locator('li .grow');
	await words.first().waitFor();
	const widths = await words.evaluateAll((all) => all.map((one) => one.clientWidth));
	expect(Math.min(...widths)).toBeGreaterThan(200);
	expect(await app.tooWide()).toEqual([]);
	expect(await app.findings()).toEqual([]);
	await owner.page.setViewportSize({ width: 1280, height: 860 });
});

it('stays away once hidden', async () => {
	await app.open('Live now');
	await app.button('Hide these steps').click();
	await steps().waitFor({ state: 'detached' });
	await owner.page.reload();
	await app.heading('Live now').waitFor();
	await owner.page.getByText('Nothing is running').waitFor();
	expect(await steps().count()).toBe(0);
});

it.each([
	['Channels', 'ops', 'Create the first channel', 'New channel'],
	['Metrics', 'Revenue today', 'Create the first metric', 'New metric'],
])('%s has the button that fills it, where it is empty', async (page, _first, words, title) => {
	await app.open(page);
	const remove = owner.page.getByRole('button', { name: /^Delete/ });
	await remove.first().waitFor();
	for (let left = await remove.count(); left > 0; left -= 1) {
		await remove.first().click();
		await app.dialog().getByRole('button', { name: 'Delete' }).click();
		await app.dialog().waitFor({ state: 'detached' });
		// What is deleted stays until the list has been read again, and takes its dialog with it.
		await remove.nth(left - 1).waitFor({ state: 'detached' });
	}
	await app.button(words).click();
	await app.dialog().getByText(title).waitFor();
	await owner.page.keyboard.press('Escape');
});

it('makes the first channel together with the key of another program', async () => {
	await app.open('API keys');
	await app.button('New key').click();
	await app.field('Name').fill('Uptime Kuma');
	await app.dialog().getByLabel('For another program').check();
	await app.field('First channel').fill('On call');
	expect(await app.findings()).toEqual([]);
	await app.dialog().getByRole('button', { name: 'Create' }).click();
	await app.dialog().getByText('/ntfy/on-call').first().waitFor();
	await owner.page.keyboard.press('Escape');
	await app.open('Channels');
	await app.card('On call').getByText('reaches 1 phone').waitFor();
});

it('lists the people for a channel, and says where it has none', async () => {
	await world.server.command('channel', 'create', '--account', 'demo', '--slug', 'night');
	await app.card('night').getByText('reaches 0 phones').waitFor();
	// Another phone would not be in it.
	expect(await app.card('night').getByRole('link').count()).toBe(0);
	await app.button('New channel').click();
	await app.openList(app.field('People, with all of their phones'));
	await owner.page.getByRole('option', { name: 'Mia' }).waitFor();
	expect(await app.findings()).toEqual([]);
	await owner.page.keyboard.press('Escape');
	await owner.page.keyboard.press('Escape');
	await app.dialog().waitFor({ state: 'detached' });
	await app.button('Delete night').click();
	await app.dialog().getByRole('button', { name: 'Delete' }).click();
	await app.card('night').waitFor({ state: 'detached' });
});

it('chooses the only channel for the next program', async () => {
	await app.open('API keys');
	await app.button('New key').click();
	await app.field('Name').fill('Grafana');
	await app.dialog().getByLabel('For another program').check();
	await app.dialog().getByText('On call', { exact: true }).waitFor();
	await app.dialog().getByRole('button', { name: 'Create' }).click();
	await app.dialog().getByText('/ntfy/on-call').first().waitFor();
	await owner.page.keyboard.press('Escape');
});

it('asks for a name where it is missing, and makes a metric’s key of it', async () => {
	await app.open('Metrics');
	await app.button('New metric').click();
	const create = app.dialog().getByRole('button', { name: 'Create' });
	await create.click();
	const isMissing = await app
		.field('Name')
		.evaluate((input: HTMLInputElement) => input.matches(':focus:invalid'));
	expect(isMissing).toBe(true);
	await app.field('Name').fill('Umsatz für heute');
	await create.click();
	await app.card('Umsatz für heute').getByText('umsatz.fur.heute', { exact: true }).waitFor();
});

it('leads a new owner from the link to a push that arrived, and back to the step they left', async () => {
	await world.server.command('account', 'create', '--name', 'bakery', '--owner', 'eve@example.com');
	const setup = ['account', 'setup-link', '--account', 'bakery'];
	const { link } = await world.server.command<{ link: string }>(...setup);
	const eve = await visit(world.browser);
	const { page } = eve;
	const theirs = new ConsolePage(page);
	await page.goto(`${world.server.url}/console${new URL(link).hash}`);
	await theirs.field('Your name').fill('Eve');
	await theirs.field('Email address').fill('eve@example.com');
	await theirs.field('Password').fill(PASSWORD);
	await theirs.button('Set up').click();
	const mine = page.getByRole('region', { name: 'First steps' });
	/** Goes elsewhere, and comes back to the step. */
	const leave = async () => {
		await page.goto(`${world.server.url}/console#/channels`);
		await theirs.heading('Channels').waitFor();
		await page.goto(`${world.server.url}/console`);
		await mine.getByText('2 of 3 done').waitFor();
	};
	await mine.getByText('1 of 3 done').waitFor();
	// One thing at a time: the key's turn comes later.
	expect(await mine.getByRole('button', { name: 'Create an API key' }).count()).toBe(0);
	await theirs.button('Show the code').click();
	for (const width of [390, 1440]) {
		await page.setViewportSize({ width, height: 860 });
		expect(await theirs.findings()).toEqual([]);
		expect(await theirs.tooWide()).toEqual([]);
		await theirs.screenshot(`console-first-minute-${width}`);
	}
	const [phone] = await Promise.all([
		page.waitForEvent('popup'),
		page.getByRole('link', { name: 'Open it here' }).click(),
	]);
	await phone.getByRole('button', { name: 'Pair', exact: true }).click();
	await mine.getByText('2 of 3 done').waitFor();
	await leave();
	await theirs.button('Create an API key').click();
	await mine.getByText(/^bk_/).waitFor();
	await leave();
	await mine.getByText('Waiting for the first push with the key').waitFor();
	await theirs.button('Create another API key').click();
	const key = await mine.getByText(/^bk_/).textContent();
	await mine.getByText(`${world.server.url}/api`).waitFor();
	const waiting = `Waiting for the first push with the key …${key?.slice(-4)} to arrive.`;
	await mine.getByText(waiting).waitFor();
	for (const width of [390, 1440]) {
		await page.setViewportSize({ width, height: 860 });
		expect(await theirs.findings()).toEqual([]);
		expect(await theirs.tooWide()).toEqual([]);
		await theirs.screenshot(`console-first-key-${width}`);
	}
	await apiOf(world.server, key ?? '').push({ title: 'From n8n' });
	await mine.getByText('3 of 3 done').waitFor();
	await mine.getByText('You are all set').waitFor();
	await mine.getByText('Last sent: From n8n').waitFor();
	await mine.getByText('1 received').waitFor();
	expect(await theirs.findings()).toEqual([]);
	await theirs.button('Done').click();
	await mine.waitFor({ state: 'detached' });
	await eve.context.close();
});
