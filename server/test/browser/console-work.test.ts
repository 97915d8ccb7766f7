import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountByName } from '../../src/store/accounts/accounts.ts';
import { insertChannel } from '../../src/store/keys-and-channels/channels.ts';
import { insertUser } from '../../src/store/people/users.ts';
import { eventually, type Visit, visit } from './support/browser.ts';
import { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, startConsoleWorld } from './support/console-world.ts';

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	await world.enter();
});

afterAll(() => world?.close());

describe('the keyboard', () => {
	it('shows its keys, but not while something is typed', async () => {
		await owner.page.keyboard.press('?');
		await app.dialog().getByText('Show these keys').waitFor();
		expect(await app.findings()).toEqual([]);
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'detached' });
		await app.open('History');
		await app.field('Search').fill('what');
		await owner.page.keyboard.press('?');
		expect(await app.field('Search').inputValue()).toBe('what?');
		expect(await app.dialog().count()).toBe(0);
	});

	it('goes to the search of the page, or else to that of the history', async () => {
		for (const name of ['Metrics', 'History']) {
			await app.open(name);
			await owner.page.keyboard.press('/');
			await app.heading('History').waitFor();
			await eventually(async () =>
				expect(await app.field('Search').evaluate((one) => one === document.activeElement)).toBe(
					true,
				),
			);
			expect(await app.field('Search').inputValue()).toBe('');
		}
	});
});

describe('a list of several pages', () => {
	it.each([
		['Channels', '#/channels?search=17'],
		['People', '#/members?search=17'],
	])('of %s is searched, which the address keeps', async (name, address) => {
		await world.server.write(async (db) => {
			const { id: account_id } = (await accountByName(db, 'demo'))!;
			for (let number = 10; number < 40; number += 1) {
				const thing = { id: `${name}_${number}`, account_id, created_at: Date.now() };
				if (name === 'People') await insertUser(db, { ...thing, name: `Person ${number}` });
				else await insertChannel(db, { ...thing, slug: `team-${number}`, name: `Team ${number}` });
			}
		});
		await app.open(name);
		const one = owner.page.getByText(/^(Person|Team) 17$/);
		const other = owner.page.getByText(/^(Person|Team) 18$/);
		await other.waitFor();
		await owner.page.keyboard.press('/');
		await owner.page.keyboard.type('17');
		await other.waitFor({ state: 'detached' });
		await one.waitFor();
		expect(new URL(owner.page.url()).hash).toBe(address);
		expect(await app.findings()).toEqual([]);
		// The field stays, also while nothing is in it and the list has not come yet.
		await app.field('Search').fill('');
		await owner.page.keyboard.type('17');
		await one.waitFor();
		expect(await app.field('Search').inputValue()).toBe('17');
		await app.field('Search').fill('nobody');
		await app.button('Clear the filters').click();
		await other.waitFor();
	});
});

describe('on a phone', () => {
	beforeAll(() => owner.page.setViewportSize({ width: 390, height: 844 }));
	afterAll(() => owner.page.setViewportSize({ width: 1280, height: 860 }));

	it.each([
		['API keys', 'Revoke'],
		['People', 'Rename'],
	])('%s shows every row whole, as a card with heads', async (name, action) => {
		await app.open(name);
		const button = owner.page.getByRole('button', { name: new RegExp(`^${action}`) }).first();
		await button.waitFor();
		const box = await button.boundingBox();
		expect(box && box.x + box.width).toBeLessThanOrEqual(390);
		for (const table of await owner.page.locator('.table-box').all())
			expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
		expect(await app.tooWide()).toEqual([]);
		expect(await app.findings()).toEqual([]);
	});

	it('the history keeps its rarer filters behind a button, unless they are set', async () => {
		await app.open('History');
		expect(await app.field('Tags').isVisible()).toBe(false);
		await app.button('More filters').click();
		await app.field('Tags').fill('shop');
		await eventually(() => expect(owner.page.url()).toContain('tags=shop'));
		await owner.page.reload();
		await app.field('Tags').waitFor();
		expect(await app.findings()).toEqual([]);
	});
});

describe('a page that is still loading', () => {
	it('has the shapes of its contents, and no message of its own', async () => {
		let answer = (): void => undefined;
		const held = new Promise<void>((resolve) => (answer = resolve));
		await owner.page.route('**/console/api/channels?*', async (route) => {
			await held;
			await route.continue();
		});
		await app.open('Channels');
		const skeleton = owner.page.locator('main .skeleton');
		await skeleton.waitFor();
		expect(await app.findings()).toEqual([]);
		answer();
		await app.card('ops').waitFor();
		expect(await skeleton.count()).toBe(0);
		await owner.page.unroute('**/console/api/channels?*');
	});
});

describe('the menu of a narrow screen', () => {
	it('closes with Escape, and its button has the focus', async () => {
		await owner.page.setViewportSize({ width: 390, height: 844 });
		await app.button('Open the menu').click();
		await owner.page.getByRole('link', { name: 'Channels', exact: true }).focus();
		await owner.page.keyboard.press('Escape');
		await app.button('Open the menu').waitFor();
		const label = () =>
			owner.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
		await eventually(async () => expect(await label()).toBe('Open the menu'));
		await owner.page.setViewportSize({ width: 1280, height: 860 });
	});
});

describe('an address that leads nowhere', () => {
	it('has a page in the looks of the console', async () => {
		const other = await visit(world.browser);
		await other.page.goto(`${world.server.url}/consol`);
		await other.page.getByRole('heading', { name: 'Page not found' }).waitFor();
		const main = other.page.getByRole('main');
		expect(await main.evaluate((one) => getComputedStyle(one).borderTopWidth)).toBe('1px');
		const icon = main.locator('img');
		expect(await icon.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(192);
		for (const colorScheme of ['light', 'dark'] as const) {
			await other.page.emulateMedia({ colorScheme });
			expect(await new ConsolePage(other.page).findings()).toEqual([]);
		}
		await other.context.close();
	});
});

describe('a server that is down', () => {
	it('is told once, and no more once it is back', async () => {
		await app.open('Channels');
		await app.open('Phones');
		await app.card('Demo phone').waitFor();
		const notices = owner.page.locator('[role=alert], [role=status].offline:not(:empty)');
		await world.server.stop();
		await notices.getByText('The server cannot be reached').waitFor();
		await app.open('Channels');
		await owner.page.waitForTimeout(1_500);
		expect(await notices.count()).toBe(1);
		expect(await app.findings()).toEqual([]);
		await world.server.start();
		await app.card('ops').waitFor();
		expect(await notices.count()).toBe(0);
	});
});

describe('a Playground opened while the server is down', () => {
	it('says no more than the other pages, and has its fields once the server is back', async () => {
		const notices = owner.page.locator('[role=alert], [role=status].offline:not(:empty)');
		for (const name of ['Playground', 'Channels']) await app.open(name);
		await world.server.stop();
		await notices.getByText('The server cannot be reached').waitFor();
		await app.open('Playground');
		await owner.page.waitForTimeout(1_500);
		expect(await notices.count()).toBe(1);
		await world.server.start();
		await app.field('Title').waitFor();
		expect(await notices.count()).toBe(0);
	});
});

describe('the sign-in', () => {
	it('loads only itself', async () => {
		const other = await visit(world.browser);
		const loaded: string[] = [];
		other.page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
		await other.page.goto(`${world.server.url}/console`);
		await new ConsolePage(other.page).button('Sign in').waitFor();
		expect(loaded.filter((path) => /(live|inside|routes)-/.test(path))).toEqual([]);
		await other.context.close();
	});
});
