import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashSecret } from '../../src/service/secrets.ts';
import { insertHistoryEntries } from '../../src/store/history/history.ts';
import { insertUser, queryUsers } from '../../src/store/people/users.ts';
import { accountByName } from '../../src/store/accounts/accounts.ts';
import { eventually, type Visit } from './support/browser.ts';
import type { ConsolePage } from './support/console-page.ts';
import { type ConsoleWorld, startConsoleWorld } from './support/console-world.ts';

const PHONES = 200;
/** Once a page of them has been removed, and with the demo's. */
const LEFT = PHONES + 1 - 24;
const ENTRIES = 100_000;
const ENTRIES_AT_ONCE = 10_000;

/** Bytes by which the page's memory may differ between two moments of the same state. */
const FLAT = 1_000_000;

let world: ConsoleWorld;
let owner: Visit;
let app: ConsolePage;

beforeAll(async () => {
	world = await startConsoleWorld();
	({ owner, app } = world);
	await seed();
	await world.enter();
});

afterAll(() => world?.close());

/** Two people with the phones, and the history of a busy year. */
async function seed(): Promise<void> {
	await world.server.write(async (db) => {
		const account = (await accountByName(db, 'demo'))!.id;
		const now = Date.now();
		await insertUser(db, { id: 'usr_anna', account_id: account, name: 'Anna', created_at: now });
		const [first] = await queryUsers(db, account).execute();
		await db
			.insertInto('devices')
			.values(
				Array.from({ length: PHONES }, (_, number) => ({
					id: `dev_${number}`,
					account_id: account,
					user_id: number % 2 === 0 ? first!.id : 'usr_anna',
					name: `Tablet ${number}`,
					platform: 'web' as const,
					token_hash: hashSecret(`token ${number}`),
					status: 'active' as const,
					badge: 0,
					paired_at: now,
					last_seen_at: now,
				})),
			)
			.execute();
		for (let start = 0; start < ENTRIES; start += ENTRIES_AT_ONCE)
			await insertHistoryEntries(
				db,
				Array.from({ length: ENTRIES_AT_ONCE }, (_, index) => ({
					id: `his_${String(start + index).padStart(8, '0')}`,
					account_id: account,
					api_key_id: null,
					kind: 'push' as const,
					title: start + index === 0 ? 'Needle' : `Straw ${start + index}`,
					channels: null,
					tags: undefined,
					metadata: undefined,
					created_at: now - (ENTRIES - start - index) * 60_000,
				})),
			);
	});
}

const cards = () => owner.page.getByRole('article');
const link = (name: string) => owner.page.getByRole('link', { name, exact: true });
const hash = () => new URL(owner.page.url()).hash;

describe(`${PHONES} phones`, () => {
	it('are listed page by page, each page with an address of its own', async () => {
		await app.open('Phones');
		await owner.page.getByText(`1–24 of ${PHONES + 1} phones`).waitFor();
		expect(await cards().count()).toBe(24);
		await link('Next').click();
		await owner.page.getByText('25–48 of').waitFor();
		expect(hash()).toBe('#/devices?page=2');
		await owner.page.reload();
		await owner.page.getByText('25–48 of').waitFor();
		await link('Previous').click();
		await owner.page.getByText('1–24 of').waitFor();
	});

	it('are found, filtered and sorted, which the address keeps', async () => {
		await app.field('Search').fill('anna 17');
		await app.card('Tablet 17').waitFor();
		await eventually(async () => expect(await cards().count()).toBe(7));
		await app.choose('Sort by', 'Phone');
		await eventually(() => expect(hash()).toContain('sort=name'));
		await owner.page.reload();
		await app.card('Tablet 17').waitFor();
		expect(await cards().first().getAttribute('aria-label')).toBe('Tablet 17');
		await app.choose('Status', 'Disconnected');
		await owner.page.getByText('No matches').waitFor();
		expect(await app.findings()).toEqual([]);
		await app.button('Clear the filters').click();
		await owner.page.getByText('1–24 of').waitFor();
	});

	it('fit a narrow screen and a text of twice the size', async () => {
		await owner.page.setViewportSize({ width: 320, height: 640 });
		await app.rest();
		expect(await app.findings()).toEqual([]);
		expect(await app.tooWide()).toEqual([]);
		await owner.page.setViewportSize({ width: 1280, height: 860 });
	});
});

describe(`${ENTRIES} entries of history`, () => {
	it('are searched as far back as they go', async () => {
		await app.open('History');
		await app.button(`Straw ${ENTRIES - 1}`).waitFor();
		await app.field('Search').fill('needle');
		await app.button('Needle').waitFor();
		await app.field('Search').fill('');
		await app.button(`Straw ${ENTRIES - 1}`).waitFor();
	});

	it('ask again for what was sent, and for nothing that cannot have changed', async () => {
		await send('The first');
		const asked: string[] = [];
		owner.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
		for (let number = 0; number < 10; number += 1) await send(`Update ${number}`);
		const others = asked.filter((path) => path !== '/console/api/history');
		expect(others).toEqual([]);
		// Gathered by the server, so at most one for each of them.
		expect(asked.length).toBeLessThanOrEqual(11);
		owner.page.removeAllListeners('request');
	});

	it('ask again at most every two seconds, however much is sent', async () => {
		const asked: number[] = [];
		owner.page.on('request', (request) => {
			if (new URL(request.url()).pathname === '/console/api/history') asked.push(performance.now());
		});
		let pushes = 0;
		while (asked.length < 3) {
			await world.api.push({ title: `Burst ${pushes}` });
			pushes += 1;
		}
		await app.arrival(`Burst ${pushes - 1}`);
		owner.page.removeAllListeners('request');
		// How many fit into the time depends on the machine; so many that each could have asked again.
		expect(pushes).toBeGreaterThan(2 * asked.length);
		const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
		expect(pauses.length).toBeGreaterThan(0);
		// Less than two seconds: what the browser reports may come late.
		for (const pause of pauses) expect(pause).toBeGreaterThan(1_500);
	});

	it('show what became of a push on each phone, part by part', async () => {
		await send('To all phones');
		await app.button('To all phones').click();
		const rows = app.dialog().locator('.lifecycle tbody tr');
		const has = (count: number) => eventually(async () => expect(await rows.count()).toBe(count));
		const press = (name: string) => app.dialog().getByRole('button', { name }).click();
		await has(100);
		await press('Earlier');
		await app.dialog().getByRole('button', { name: 'Newest' }).waitFor();
		await has(100);
		await press('Earlier');
		await has(PHONES + 1 - 200);
		expect(await app.dialog().getByRole('button', { name: 'Earlier' }).count()).toBe(0);
		await press('Newest');
		await has(100);
		await app.field('Phone or person').fill('tablet 151');
		await has(1);
		expect(await rows.first().textContent()).toContain('Anna');
		expect(await app.findings()).toEqual([]);
		await app.field('Phone or person').fill('nothing');
		await app.dialog().getByText('No phone matches.').waitFor();
		await app.dialog().getByRole('button', { name: 'Open in Playground' }).waitFor();
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'hidden' });
	});

	it('show the phones on which a push failed first, and search among all of them', async () => {
		await send('To all but two');
		await world.server.write(async (db) => {
			await db
				.updateTable('deliveries')
				.set({ state: 'failed', last_error: 'The push service answered 403' })
				.where('device_id', 'in', ['dev_7', 'dev_8'])
				.where(
					'message_id',
					'=',
					db.selectFrom('messages').select(({ fn }) => fn.max('id').as('id')),
				)
				.execute();
		});
		await app.button('To all but two').click();
		const rows = app.dialog().locator('.lifecycle tbody tr');
		const has = (count: number) => eventually(async () => expect(await rows.count()).toBe(count));
		const failed = app.dialog().getByRole('button', { name: '2 failed' });
		await has(2);
		expect(await failed.getAttribute('aria-pressed')).toBe('true');
		await app.field('Phone or person').fill('tablet 151');
		await has(1);
		expect(await failed.getAttribute('aria-pressed')).toBe('false');
		await failed.click();
		await app.dialog().getByText('No phone matches.').waitFor();
		expect(await app.findings()).toEqual([]);
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'hidden' });
	});

	it('take no more memory after a long run of updates', async () => {
		for (let number = 0; number < 60; number += 1) await world.api.push({ title: 'Warm-up' });
		await send('The warm-up is over');
		const before = await state();
		for (let number = 0; number < 400; number += 1)
			await world.api.push({ title: `Run ${number}`, message: 'A text '.repeat(40) });
		await send('The run is over');
		const after = await state();
		expect(after.rows).toBe(50);
		expect(after.elements).toBeLessThan(before.elements * 1.2);
		expect(after.bytes - before.bytes).toBeLessThan(FLAT);
	});
});

describe('many phones at once', () => {
	beforeAll(() => app.open('Phones'));

	it('are put into a channel and disconnected, as many as are chosen, from several pages', async () => {
		const bar = () => owner.page.getByRole('group', { name: 'Selection' });
		const select = (name: string) => owner.page.getByLabel(name, { exact: true });
		const dialogButton = (name: string) => app.dialog().getByRole('button', { name, exact: true });
		await app.choose('Sort by', 'Oldest first');
		await select('Select all on this page').click();
		await bar().getByText('Disconnect 24 phones').waitFor();
		await select('Select Tablet 100').click();
		await link('Next').click();
		await owner.page.getByText('25–48 of').waitFor();
		await select('Select all on this page').click();
		await bar().getByText('Disconnect 47 phones').waitFor();
		for (const [width, height] of [
			[390, 844],
			[1440, 900],
		] as const) {
			await owner.page.setViewportSize({ width, height });
			expect(await app.findings()).toEqual([]);
			expect(await app.tooWide()).toEqual([]);
			if (width < 500) expect(await app.tooSmall()).toEqual([]);
			await app.screenshot(`console-selection-${width}`);
		}
		await app.button('Add 47 phones to a channel').click();
		await app.choose('Channel', 'ops');
		expect(await app.findings()).toEqual([]);
		await dialogButton('Add 47 phones').click();
		await app.dialog().waitFor({ state: 'detached' });
		await app.open('Channels');
		const phones = app.card('ops').locator('dd').last();
		await eventually(async () => expect(await phones.textContent()).toContain('more'));
		await owner.page.goBack();
		await owner.page.getByText('25–48 of').waitFor();
		await select('Select all on this page').click();
		await app.button('Take 24 phones from a channel').click();
		await app.choose('Channel', 'ops');
		await dialogButton('Take 24 phones').click();
		await app.dialog().waitFor({ state: 'detached' });
		await app.button('Disconnect 24 phones').click();
		await app.dialog().getByText('Disconnect 24 phones?').waitFor();
		await dialogButton('Disconnect 24 phones').click();
		await bar().getByText('Disconnect').waitFor({ state: 'detached' });
		await app.choose('Status', 'Disconnected');
		await owner.page.getByText('No matches').waitFor({ state: 'detached' });
		await eventually(async () => expect(await cards().count()).toBe(24));
		await select('Select all on this page').click();
		await app.button('Remove 24 phones').click();
		await dialogButton('Remove 24 phones').click();
		await app.button('Clear the filters').click();
		await owner.page.getByText(`1–24 of ${LEFT}`).waitFor();
	});
});

async function send(title: string): Promise<void> {
	await world.api.push({ title });
	await app.arrival(title);
}

/** The page's size, once garbage is collected. */
async function state(): Promise<{ rows: number; elements: number; bytes: number }> {
	const devtools = await owner.context.newCDPSession(owner.page);
	await devtools.send('HeapProfiler.collectGarbage');
	const { usedSize: bytes } = await devtools.send('Runtime.getHeapUsage');
	await devtools.detach();
	return {
		rows: await owner.page.locator('.entries tbody tr').count(),
		elements: await owner.page.locator('*').count(),
		bytes,
	};
}
