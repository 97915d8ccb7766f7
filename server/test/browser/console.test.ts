import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { eventually, launchBrowser, visit, type Visit } from './support/browser.ts';
import { ConsolePage } from './support/console-page.ts';
import { type Api, apiOf, requirePages, RestartableServer } from './support/server.ts';

jest.setTimeout(40_000);

const PASSWORD = 'correct horse battery staple';

/** `UPDATE_IMAGES=true` refreshes the picture in the README. */
const REFRESHES_PICTURE = process.env.UPDATE_IMAGES === 'true';

const PAGES = [
	'Live now',
	'Playground',
	'History',
	'Devices',
	'Channels',
	'Metrics',
	'API keys',
	'Members',
	'Usage and limits',
];

interface Demo {
	key: string;
	device_token: string;
}

let server: RestartableServer;
let browser: Browser;
let owner: Visit;
let app: ConsolePage;
let api: Api;
let phone: Visit;

/** The fragment of a link that a command printed, on the server that runs. */
const linkTo = (link: string) => `${server.url}/console${new URL(link).hash}`;

const setupLink = async () =>
	linkTo(
		(await server.command<{ link: string }>('account', 'setup-link', '--account', 'demo')).link,
	);

beforeAll(async () => {
	requirePages();
	server = new RestartableServer();
	await server.start();
	const demo = await server.command<Demo>('demo');
	api = apiOf(server, demo.key);
	browser = await launchBrowser();
	owner = await visit(browser, { viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1 });
	// Sooner than a test's own limit, so that a failure names what was waited for.
	owner.page.setDefaultTimeout(10_000);
	app = new ConsolePage(owner.page);
	phone = await visit(browser);
	await phone.page.goto(`${server.url}/phone#token=${demo.device_token}`);
	await phone.page.locator('.status-icons .is-live').waitFor({ timeout: 20_000 });
}, 90_000);

afterAll(async () => {
	await browser?.close();
	await server?.remove();
});

describe('the first visit', () => {
	it('shows the way to the setup link, and lets nobody in without it', async () => {
		await owner.page.goto(`${server.url}/console`);
		await app.field('E-mail address').fill('olga@example.com');
		await app.field('Password').fill('a guess of mine');
		await app.button('Sign in').click();
		await owner.page.getByText('The e-mail address or the password is wrong.').waitFor();
	});

	it('sets the owner up by the link, whose token leaves the address bar', async () => {
		await owner.page.goto('about:blank');
		await owner.page.goto(await setupLink());
		await app.field('Your name').fill('Olga');
		await app.field('E-mail address').fill('olga@example.com');
		await app.field('Password').fill('short');
		await app.button('Set up').click();
		await owner.page.getByText('password must be 12 to 256 characters long.').waitFor();
		expect(await app.findings()).toEqual([]);
		await app.screenshot('console-setup-light');
		expect(owner.page.url()).not.toContain('setup=');
		await app.field('Password').fill(PASSWORD);
		await app.button('Set up').click();
		await app.heading('Live now').waitFor();
	});

	it('signs in again after signing out', async () => {
		await app.button('Sign out').click();
		await app.field('E-mail address').fill('olga@example.com');
		await app.field('Password').fill(PASSWORD);
		await owner.page.keyboard.press('Enter');
		await app.heading('Live now').waitFor();
	});
});

describe('live now', () => {
	it('says what to do first while nothing runs', async () => {
		await owner.page.getByText('Nothing runs at the moment').waitFor();
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
		await api.stream('deploy', deployment, { tags: ['deploy', 'env:production'] });
		const card = owner.page.getByRole('region', { name: 'Deploy web' });
		await card.getByRole('progressbar', { name: 'Step 1 of 4' }).waitFor();
		await api.stream('deploy', { current_step: 3, subtitle: 'Publishing' });
		await card.getByRole('progressbar', { name: 'Step 3 of 4' }).waitFor();
		await card.getByText('on 1 phone').waitFor();
	});

	it('pauses, resumes and ends a stream', async () => {
		const card = owner.page.getByRole('region', { name: 'Deploy web' });
		await card.getByRole('button', { name: 'Pause' }).click();
		const paused = owner.page.getByRole('region', { name: 'deploy', exact: true });
		await paused.getByRole('button', { name: 'Resume' }).click();
		await card.waitFor();
		await card.getByRole('button', { name: 'End' }).click();
		await app.dialog().getByRole('button', { name: 'End' }).click();
		await owner.page.getByText('Nothing runs at the moment').waitFor();
	});
});

describe('devices', () => {
	it('pairs a phone by the link, and shows it at once', async () => {
		await app.open('Devices');
		await app.button('Pair a phone').click();
		await app.dialog().getByRole('button', { name: 'Show the code' }).click();
		await app.dialog().getByRole('img', { name: 'Link to pair the phone' }).waitFor();
		const code = await owner.page.getByTestId('pair-code').textContent();
		await app.screenshot('console-pairing-light');
		const answer = await fetch(`${server.url}/device/pair`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ code, name: 'Kitchen tablet', platform: 'web' }),
		});
		expect(answer.status).toBe(200);
		await owner.page.keyboard.press('Escape');
		await app.card('Kitchen tablet').getByText('Closed').waitFor();
		await app.card('Demo phone').getByText('Open now').waitFor();
	});

	it('sends a test push to one phone', async () => {
		await app.card('Demo phone').getByRole('button', { name: 'Send a test push' }).click();
		await app.card('Demo phone').getByText('Sent. Look at the phone.').waitFor();
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
		await app.dialog().getByRole('button', { name: 'Create' }).click();
		await app.card('On call').getByRole('button', { name: 'Change' }).click();
		await app.choose('People, with all of their phones', 'owner');
		await owner.page.keyboard.press('Tab');
		await app.dialog().getByRole('button', { name: 'Save' }).click();
		await app.card('On call').getByText('reaches 1 phone').waitFor();
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
		await row.getByText('revoked').waitFor();
	});

	it('makes a metric and draws its values as they come', async () => {
		await app.open('Metrics');
		await app.button('New metric').click();
		await app.field('Key').fill('orders.today');
		await app.field('Name').fill('Orders today');
		await app.dialog().getByRole('button', { name: 'Create' }).click();
		const card = app.card('Orders today');
		await card.getByText('No value yet').waitFor();
		for (const value of [3, 5, 4, 9, 12]) await api.metric('orders.today', value);
		for (const value of [980, 1040, 1110, 1204]) await api.metric('revenue.today', value);
		for (const value of [31, 44, 38, 52, 41]) await api.metric('cpu.load', value);
		await api.metric('build.status', 'passing');
		await card.getByRole('img', { name: 'The last 5 values, from 3 to 12' }).waitFor();
	});
});

describe('the playground', () => {
	it('shows on the phone what is typed, and the server’s words where it is wrong', async () => {
		await app.open('Playground');
		const preview = owner.page.getByRole('region', { name: 'Preview' });
		await app.field('Title').fill('Your order is on its way');
		await preview.getByText('Your order is on its way').waitFor();
		await app.field('Title').fill('');
		await preview.getByText('title is required.').waitFor();
	});

	it('sends it to the phone', async () => {
		await app.field('Title').fill('Your order is on its way');
		await app.button('Send').click();
		await owner.page.getByText('"devices_notified": 1').waitFor();
		await phone.page.getByText('Your order is on its way').first().waitFor();
	});

	it('starts, updates and ends a Live Activity', async () => {
		await app.choose('Request', 'Start a Live Activity by hand');
		await owner.page.getByRole('region', { name: 'Preview' }).getByRole('timer').waitFor();
		await app.button('Send').click();
		await owner.page.getByText('"activity_id"').waitFor();
		for (const request of ['Update one by its id', 'End one by its id']) {
			await app.choose('Request', request);
			await app.button('Send').click();
			await owner.page.getByText('"success": true').waitFor();
		}
	});

	it('sets the badge, a metric and a stream, and ends the stream', async () => {
		await app.choose('Request', 'Set the app icon badge');
		await app.button('Send').click();
		await phone.page.getByTestId('app-badge').getByText('3').waitFor();
		await app.choose('Request', 'Set a metric');
		await app.button('Send').click();
		await owner.page.getByText('"success": true').waitFor();
		for (const request of ['Create or update a Live Activity', 'End a Live Activity']) {
			await app.choose('Request', request);
			await app.button('Send').click();
			await owner.page.getByText(/"operation": "(started|ended)"/).waitFor();
		}
	});

	it('copies the request as curl and as a node for n8n’s editor', async () => {
		await owner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
		const clipboard = () => owner.page.evaluate(() => navigator.clipboard.readText());
		await app.choose('Request', 'Send a push notification');
		await app.button('Copy as curl').click();
		await eventually(async () => {
			expect(await clipboard()).toContain(`curl -X POST ${server.url}/api/push-notification`);
		});
		await app.button('Copy as n8n node').click();
		await eventually(async () => {
			expect(JSON.parse(await clipboard()).nodes[0]).toMatchObject({
				type: 'n8n-nodes-beckon.beckon',
				parameters: {
					resource: 'pushNotification',
					operation: 'send',
					title: 'Your order is on its way',
				},
			});
		});
	});
});

describe('history', () => {
	it('finds what was sent by its words, and shows what became of it', async () => {
		await api.push({ title: 'Disk almost full', message: 'db-2 has 4 % left', tags: ['alert'] });
		await app.open('History');
		await app.button('Disk almost full').waitFor();
		await app.field('Search').fill('db-2 left');
		await app.button('Your order is on its way').waitFor({ state: 'detached' });
		await app.button('Disk almost full').click();
		await app.dialog().getByText('delivered').waitFor();
		expect(await app.findings()).toEqual([]);
		await owner.page.keyboard.press('Escape');
	});

	it('filters by tag and kind, and says so when nothing fits', async () => {
		await app.field('Search').fill('');
		await app.field('Tags').fill('deploy');
		await app.button('Deploy web').first().waitFor();
		await app.choose('Kind', 'Push');
		await owner.page.getByText('Nothing like that was sent').waitFor();
		await app.button('Show everything').click();
	});

	it('exports the lines as CSV', async () => {
		const [download] = await Promise.all([
			owner.page.waitForEvent('download'),
			owner.page.getByRole('link', { name: 'Export as CSV' }).click(),
		]);
		expect(download.suggestedFilename()).toBe('beckon-history.csv');
	});
});

describe('members', () => {
	it('invites somebody, who joins by the link and may not manage keys', async () => {
		await app.open('Members');
		await app.button('Invite').click();
		await app.dialog().getByRole('button', { name: 'Make a link' }).click();
		const link = await app
			.dialog()
			.getByText(/#invite=/)
			.textContent();
		await owner.page.keyboard.press('Escape');
		const max = await visit(browser);
		const theirs = new ConsolePage(max.page);
		await max.page.goto(link ?? '');
		await theirs.field('Your name').fill('Max');
		await theirs.field('E-mail address').fill('max@example.com');
		await theirs.field('Password').fill(PASSWORD);
		await theirs.button('Join').click();
		await theirs.open('API keys');
		await max.page.getByText('Only an owner makes and revokes keys.').waitFor();
		await max.context.close();
		await owner.page.getByRole('row', { name: /max@example\.com/ }).waitFor();
	});
});

describe('usage and limits', () => {
	it('shows what is left, what was requested, and changes the plan', async () => {
		await app.open('Usage and limits');
		await owner.page.getByText('Push notifications').waitFor();
		await owner.page.getByText(/Successful: [1-9]/).waitFor();
		await app.button('Change the plan').click();
		await app.field('Included sends').fill('1000');
		await app.dialog().getByRole('button', { name: 'Save' }).click();
		await owner.page.getByText('1,000').waitFor();
	});
});

describe('every page', () => {
	beforeAll(async () => {
		await api.stream(
			'deploy',
			{
				type: 'segmented_progress',
				title: 'Deploy web',
				subtitle: 'Publishing',
				number_of_steps: 4,
				current_step: 3,
				color: 'purple',
				icon: 'bolt',
			},
			{
				tags: ['deploy'],
				action: { title: 'Open the run', type: 'open_url', url: 'https://example.com/run' },
			},
		);
		await api.stream('server', {
			type: 'metrics',
			title: 'web-1',
			metrics: [
				{ label: 'CPU', value: 41, unit: '%' },
				{ label: 'Memory', value: 63, unit: '%', color: 'orange' },
			],
			color: 'cyan',
			icon: 'cpu',
		});
		await api.stream('backup', {
			type: 'timer',
			title: 'Nightly backup',
			subtitle: 'Copying files',
			duration_seconds: 1_500,
			color: 'green',
		});
	});

	for (const colorScheme of ['light', 'dark'] as const) {
		it.each(PAGES)(
			`%s has no serious finding of axe in ${colorScheme}, and looks as in its picture`,
			async (name) => {
				await owner.page.emulateMedia({ colorScheme });
				await app.open(name);
				expect(await app.findings()).toEqual([]);
				await app.screenshot(`console-${name.toLowerCase().replaceAll(' ', '-')}-${colorScheme}`);
			},
		);
	}

	it('fits a narrow screen', async () => {
		await owner.page.emulateMedia({ colorScheme: 'light' });
		await owner.page.setViewportSize({ width: 390, height: 800 });
		for (const name of PAGES) {
			await app.open(name);
			await app.rest();
			const overflow = await owner.page.evaluate(
				() => document.documentElement.scrollWidth - window.innerWidth,
			);
			expect([name, overflow]).toEqual([name, 0]);
		}
		await app.open('History');
		await app.screenshot('console-narrow-light');
		await owner.page.setViewportSize({ width: 1280, height: 860 });
	});

	it('is reached with the keyboard alone', async () => {
		await app.open('Live now');
		await owner.page.reload();
		await app.heading('Live now').waitFor();
		for (let step = 0; step < 30; step += 1) {
			await owner.page.keyboard.press('Tab');
			const focused = await owner.page.evaluate(() => document.activeElement?.textContent ?? '');
			if (focused === 'Devices') break;
		}
		await owner.page.keyboard.press('Enter');
		await app.heading('Devices').waitFor();
		await app.button('Pair a phone').focus();
		await owner.page.keyboard.press('Enter');
		await app.dialog().waitFor();
		await owner.page.keyboard.press('Escape');
		await app.dialog().waitFor({ state: 'detached' });
		await eventually(async () => {
			expect(await owner.page.evaluate(() => document.activeElement?.textContent)).toBe(
				'Pair a phone',
			);
		});
	});

	it('broke no rule of the content security policy and raised no error', () => {
		// The browser itself reports every refusal, and some of these tests ask for one.
		const ownWords = owner.complaints.filter((words) => !words.includes('status of 4'));
		expect(ownWords).toEqual([]);
	});

	it('gives the README its picture, when asked to', async () => {
		if (!REFRESHES_PICTURE) return;
		await owner.page.emulateMedia({ colorScheme: 'light' });
		await app.open('Live now');
		await app.screenshot('console-readme');
		const picture = join(import.meta.dirname, '../../../docs/images/console.png');
		copyFileSync(join(import.meta.dirname, 'screenshots/console-readme.png'), picture);
		expect(statSync(picture).size).toBeLessThan(300_000);
	});
});
