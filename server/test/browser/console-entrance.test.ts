import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Visit, visit } from './support/browser.ts';
import { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, PASSWORD, startConsoleWorld } from './support/console-world.ts';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
});

afterAll(() => world?.close());

describe('the first visit', () => {
	it('shows the way to the setup link, and lets nobody in without it', async () => {
		await owner.page.goto(`${world.server.url}/console`);
		await app.signIn('olga@example.com', 'a guess of mine');
		await owner.page.getByText('The email address or the password is wrong.').waitFor();
		for (const colorScheme of ['light', 'dark'] as const) {
			await owner.page.emulateMedia({ colorScheme });
			expect(await app.findings()).toEqual([]);
			await app.screenshot(`console-sign-in-${colorScheme}`);
		}
	});

	it('sets the owner up by the link, whose token leaves the address bar', async () => {
		await owner.page.goto('about:blank');
		await owner.page.goto(await world.setupLink());
		await app.field('Your name').waitFor();
		await owner.page.reload();
		await app.field('Your name').fill('Olga');
		await app.field('Email address').fill('olga@example.com');
		await app.field('Password').fill('short');
		await app.button('Set up').click();
		await owner.page.getByText('Password must be 12 to 256 characters long.').waitFor();
		for (const colorScheme of ['dark', 'light'] as const) {
			await owner.page.emulateMedia({ colorScheme });
			expect(await app.findings()).toEqual([]);
			await app.screenshot(`console-setup-${colorScheme}`);
		}
		expect(owner.page.url()).not.toContain('setup=');
		await app.field('Password').fill(PASSWORD);
		await app.button('Set up').click();
		await app.heading('Live now').waitFor();
	});

	it('signs in again after signing out', async () => {
		await app.button('Sign out').click();
		await app.field('Email address').fill('olga@example.com');
		await app.field('Password').fill(PASSWORD);
		await owner.page.keyboard.press('Enter');
		await app.heading('Live now').waitFor();
	});
});

describe('members', () => {
	it('invites somebody, who joins by the link and may not manage keys', async () => {
		const link = await app.inviteLink();
		const max = await visit(world.browser);
		const theirs = new ConsolePage(max.page);
		await theirs.join(link, { name: 'Max', email: 'max@example.com', password: PASSWORD });
		await theirs.open('API keys');
		await max.page.getByText('Only owners can create and revoke keys.').waitFor();
		await max.context.close();
		await app.row(/max@example\.com/).waitFor();
	});
});

describe('a session', () => {
	it('is over on every open page at once when the member is removed', async () => {
		const link = await app.inviteLink();
		const eve = await visit(world.browser);
		const theirs = new ConsolePage(eve.page);
		await theirs.join(link, { name: 'Eve', email: 'eve@example.com', password: PASSWORD });
		const row = app.row(/eve@example\.com/);
		await row.getByRole('button', { name: 'Remove' }).click();
		await app.dialog().getByRole('button', { name: 'Remove' }).click();
		const words = eve.page.getByText('Your session has ended. Sign in again.');
		// Less time than the browser takes to reconnect to the event stream twice.
		await words.waitFor({ timeout: 5_000 });
		await eve.context.close();
	});

	it('lets a member become an owner without signing in again', async () => {
		const page = await visit(world.browser);
		const theirs = new ConsolePage(page.page);
		await page.page.goto(`${world.server.url}/console`);
		await theirs.signIn('max@example.com', PASSWORD);
		await theirs.open('API keys');
		await page.page.getByText('Only owners can create and revoke keys.').waitFor();
		await owner.page
			.getByRole('row', { name: /max@example\.com/ })
			.first()
			.getByRole('button', { name: 'Make owner' })
			.click();
		await app.dialog().getByRole('button', { name: 'Make owner' }).click();
		await theirs.button('New key').waitFor();
		await page.context.close();
	});
});
