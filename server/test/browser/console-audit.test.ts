import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Visit, visit } from './support/browser.ts';
import { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, PASSWORD, startConsoleWorld } from './support/console-world.ts';

const OLGA = 'Olga (olga@example.com)';
const MAX = 'Max (max@example.com)';
const NEXT = 'seven green kettles sing';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;
let member: Visit;
/** Max's console. */
let max: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	await world.enter();
	member = await visit(world.browser);
	max = new ConsolePage(member.page);
});

afterAll(() => world?.close());

const dialogButton = (name: string) => app.dialog().getByRole('button', { name, exact: true });

/** Waits until the newest entry says this, with its member and time. */
const expectNewest = async (who: string, what: string | RegExp) => {
	await app.open('Audit log');
	const newest = owner.page.getByRole('row').nth(1);
	await newest.getByRole('cell', { name: what, exact: true }).waitFor();
	expect(await newest.getByRole('cell').nth(1).textContent()).toBe(who);
	const at = await newest.locator('time').getAttribute('datetime');
	const age = Date.now() - Date.parse(at ?? '');
	expect(age).toBeGreaterThanOrEqual(0);
	expect(age).toBeLessThan(60_000);
};

describe('the audit log says by whom and when', () => {
	it('a member was invited and joined', async () => {
		const link = await app.inviteLink();
		await expectNewest(OLGA, 'Invited anyone with the link: member');
		await max.join(link, { name: 'Max', email: 'max@example.com', password: PASSWORD });
		await expectNewest(MAX, 'Joined as member');
	});

	it('a key was made and revoked', async () => {
		await app.open('API keys');
		await app.button('New key').click();
		await app.field('Name').fill('Orders');
		await dialogButton('Create').click();
		const key = app.dialog().getByText(/^bk_/);
		await key.waitFor();
		await owner.page.keyboard.press('Escape');
		await key.waitFor({ state: 'detached' });
		await expectNewest(OLGA, /^Created the API key Orders \(bk_…[\w-]{4}\)$/);
		await app.open('API keys');
		await app
			.row(/Orders/)
			.getByRole('button', { name: 'Revoke' })
			.click();
		await dialogButton('Revoke').click();
		await app.dialog().waitFor({ state: 'detached' });
		await expectNewest(OLGA, /^Revoked the API key Orders \(bk_…[\w-]{4}\)$/);
	});

	it('a push was sent from the console, without its words, and a test push', async () => {
		await app.open('Playground');
		await app.field('Title').fill('Salary of Max');
		await app.send().click();
		await owner.page.getByText('Sent to 1 phone').waitFor();
		await expectNewest(OLGA, 'Sent from the console: push');
		expect(await owner.page.getByText('Salary').count()).toBe(0);
		await app.open('Phones');
		await app.card('Demo phone').getByRole('button', { name: 'Send a test push' }).click();
		await app.card('Demo phone').getByRole('status').waitFor();
		await expectNewest(OLGA, 'Sent a test push to Demo phone');
	});

	it('a password was changed', async () => {
		await member.page.getByTitle('Your account').click();
		await max.field('Current password').fill(PASSWORD);
		await max.field('New password').fill(NEXT);
		await max.button('Change password').click();
		await member.page.getByText('Password changed.').waitFor();
		await expectNewest(MAX, 'Changed their password');
	});

	it('sign-ins failed, those of an hour in one entry, while the page is open', async () => {
		await max.button('Sign out').click();
		await max.signIn('max@example.com', 'a guess of mine');
		const alert = member.page.getByRole('alert');
		await alert.getByText('The email address or the password is wrong.').waitFor();
		await expectNewest('Visitor at 127.0.0.1', 'Wrong password for max@example.com');
		await max.signIn('max@example.com', 'another guess of mine');
		await owner.page
			.getByRole('cell', {
				name: 'Wrong password for max@example.com (2 times within an hour)',
			})
			.waitFor();
	});

	it('a member was removed', async () => {
		await app.open('People');
		await app
			.row(/max@example\.com/)
			.getByRole('button', { name: 'Remove' })
			.click();
		await dialogButton('Remove').click();
		await app.row(/max@example\.com/).waitFor({ state: 'detached' });
		await expectNewest(OLGA, `Removed console access of ${MAX}`);
	});
});

describe('the page of the audit log', () => {
	it('has no serious finding of axe', async () => {
		for (const colorScheme of ['dark', 'light'] as const) {
			await owner.page.emulateMedia({ colorScheme });
			expect(await app.findings()).toEqual([]);
			await app.screenshot(`console-audit-entries-${colorScheme}`);
		}
	});

	it('shows older entries by the page, each once, and keeps the place', async () => {
		for (let sent = 0; sent < 55; sent += 1) {
			await owner.page.evaluate(async () => {
				const session = await (await fetch('/console/api/session')).json();
				await fetch('/console/api/playground/send', {
					method: 'POST',
					headers: { 'content-type': 'application/json', 'x-csrf-token': session.csrf_token },
					body: JSON.stringify({ request: 'badge', body: { badge: 1 } }),
				});
			});
		}
		await owner.page.reload();
		await app.heading('Audit log').waitFor();
		const sent = owner.page.getByRole('cell', { name: 'Sent from the console: badge' });
		await sent.nth(49).waitFor();
		expect(await sent.count()).toBe(50);
		await app.button('Show older entries').click();
		await app.row(/Joined as member/).waitFor();
		expect(await sent.count()).toBe(55);
	});

	it('is searched and filtered, which the address keeps, and has one line per pairing', async () => {
		await owner.page.reload();
		await app.field('Search').fill('salary');
		await owner.page.getByText('No matches').waitFor();
		await app.button('Clear the filters').click();
		await app.choose('What', 'Joined as');
		await app.row(/Joined as member/).waitFor();
		// The head, Olga and Max.
		await eventually(async () => expect(await owner.page.getByRole('row').count()).toBe(3));
		expect(new URL(owner.page.url()).hash).toBe('#/audit?event=member_joined');
		for (const width of [390, 1440]) {
			await owner.page.setViewportSize({ width, height: 860 });
			expect(await app.findings()).toEqual([]);
			expect(await app.tooWide()).toEqual([]);
		}
		await owner.page.setViewportSize({ width: 1280, height: 860 });
		for (const name of ['Channels', 'Audit log']) await app.open(name);
		await world.pair('Hall tablet', 'Olga');
		await app.row(/Hall tablet \(Olga\)/).waitFor();
		await eventually(async () =>
			expect(await owner.page.getByRole('cell', { name: /pairing code for Olga/ }).count()).toBe(0),
		);
	});

	it('is for owners', async () => {
		const eve = await visit(world.browser);
		const theirs = new ConsolePage(eve.page);
		const link = await app.inviteLink();
		await theirs.join(link, { name: 'Eve', email: 'eve@example.com', password: PASSWORD });
		expect(await eve.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
		await eve.page.goto(`${world.server.url}/console#/audit`);
		await eve.page.getByText('Only owners can read the audit log.').waitFor();
		expect(await theirs.findings()).toEqual([]);
		await eve.context.close();
	});
});
