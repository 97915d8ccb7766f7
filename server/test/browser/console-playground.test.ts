import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
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

const result = () => owner.page.locator('.result');

/** The colors of a bar's parts, and how long each is. */
const barOf = (place: Locator) =>
	place
		.locator('.state-bar span')
		.evaluateAll((parts) =>
			parts.map((part) => [part.getAttribute('data-color'), getComputedStyle(part).flexGrow]),
		);

/** True if nothing is painted over the middle of the element. */
async function isInFront(locator: Locator): Promise<boolean> {
	await locator.waitFor();
	await locator.scrollIntoViewIfNeeded();
	return locator.evaluate((element) => {
		const { x, y, width, height } = element.getBoundingClientRect();
		const top = document.elementFromPoint(x + width / 2, y + height / 2);
		return top !== null && element.contains(top);
	});
}

describe('the playground', () => {
	it('shows on the phone what is typed, and the server’s words where it is wrong', async () => {
		await app.open('Playground');
		const preview = owner.page.getByRole('region', { name: 'Preview' });
		await app.field('Title').fill('Your order is on its way');
		await preview.getByText('Your order is on its way').waitFor();
		await app.field('Title').fill('');
		await preview.getByText('title is required.').waitFor();
	});

	it('sends it to the phone, and says once the phone has it', async () => {
		await app.field('Title').fill('Your order is on its way');
		await app.send().click();
		await owner.page.getByText('Sent to 1 phone').waitFor();
		await phone.page.getByText('Your order is on its way').first().waitFor();
		await result().getByText('1 received').waitFor();
		expect(await barOf(result())).toEqual([['green', '1']]);
		expect(await app.findings()).toEqual([]);
	});

	it('has nothing green while no phone has it, and shows how each one fares', async () => {
		await phone.page.goto('about:blank');
		await eventually(async () => {
			await app.send().click();
			await result().getByText('1 stored until opened').waitFor({ timeout: 2_000 });
		});
		expect(await barOf(result())).toEqual([['gray', '1']]);
		const style = await result().evaluate((one) => one.getAttribute('style'));
		expect(style).toContain('-blue-');
		await result().getByRole('link', { name: 'Show each phone' }).click();
		await app.dialog().getByText('Demo phone').waitFor();
		await app.dialog().getByText('1 stored until opened').waitFor();
		await phone.page.goto(`${world.server.url}/phone`);
		await app.dialog().getByText('1 received').waitFor();
		await owner.page.keyboard.press('Escape');
		await app.row('Your order is on its way').getByText('1 received').waitFor();
		await app.open('Playground');
	});

	it('is the phone: the same card, as wide, with the same buttons, open or folded alike', async () => {
		await owner.page.setViewportSize({ width: 1440, height: 900 });
		const preview = owner.page.getByRole('region', { name: 'Preview' }).locator('.card');
		const looks = (card: Locator) =>
			card.evaluate((one) => ({
				// Not its bounding box: a card that drops in is drawn smaller.
				width: (one as HTMLElement).offsetWidth,
				isOpen: one.getAttribute('data-expanded'),
				buttons: [...one.querySelectorAll('.action')].map((button) => button.textContent),
			}));
		const push = (title: string, part: object) =>
			owner.page.evaluate(
				(values) => sessionStorage.setItem('beckon-playground', JSON.stringify(values)),
				{ request: 'push', keys: {}, forms: { push: { title, ...part } } },
			);
		const webhook = { title: 'Restart', type: 'webhook', url: 'https://example.com/restart' };
		for (const [title, part] of [
			['Plain', { message: 'Nothing to do' }],
			['With a webhook', { actions: [webhook, { ...webhook, title: 'Ignore' }] }],
			['Water in the cellar', { interruption_level: 'critical' }],
			['Approve the refund?', undefined],
		] as const) {
			if (part) {
				await push(title, part);
				await owner.page.reload();
			} else await app.button('Approval').click();
			await preview.getByText(title, { exact: true }).waitFor();
			await app.send().click();
			await owner.page.getByText('Sent to 1 phone').waitFor();
			const there = phone.page.getByRole('article', { name: title }).first();
			await there.waitFor();
			expect([title, await looks(preview)]).toEqual([title, await looks(there)]);
			expect(await app.findings()).toEqual([]);
			if (part) await phone.page.getByRole('button', { name: 'Clear all notifications' }).click();
		}
		await preview.getByRole('button', { name: 'Decline' }).waitFor();
		await owner.page.setViewportSize({ width: 1280, height: 860 });
	});

	it('starts, updates and ends a Live Activity', async () => {
		await app.choose('Request', 'Start a manual Live Activity');
		await owner.page.getByRole('region', { name: 'Preview' }).getByRole('timer').waitFor();
		await app.send().click();
		await owner.page.getByText('Sent to 1 phone').waitFor();
		for (const [request, done] of [
			['Update a Live Activity by ID', 'Sent to 1 phone'],
			['End a Live Activity by ID', 'Sent to 1 phone'],
		] as const) {
			await app.choose('Request', request);
			await app.send().click();
			await owner.page.getByText(done).waitFor();
		}
	});

	it('sets the badge, a metric and a stream, and ends the stream', async () => {
		await app.choose('Request', 'Set the app icon badge');
		await app.send().click();
		await phone.page.getByTestId('app-badge').getByText('3').waitFor();
		await app.choose('Request', 'Set a metric');
		await app.send().click();
		await owner.page.getByRole('status').getByText('Done').waitFor();
		for (const request of ['Create or update a Live Activity', 'End a Live Activity']) {
			await app.choose('Request', request);
			await app.send().click();
			await owner.page.getByText(/(Started|Ended) on 1 phone/).waitFor();
		}
	});

	it('keeps what is typed when another page is opened, and after a reload', async () => {
		await app.choose('Request', 'Send a push notification');
		await app.field('Title').fill('Half written');
		await app.open('Channels');
		await app.open('Playground');
		expect(await app.field('Title').inputValue()).toBe('Half written');
		await owner.page.reload();
		await app.field('Title').waitFor();
		expect(await app.field('Title').inputValue()).toBe('Half written');
		await app.button('Start over').click();
		expect(await app.field('Title').inputValue()).toBe('New order');
	});

	it('comes back to the request it was left with', async () => {
		await app.button('Backup').click();
		await app.open('Channels');
		await app.open('Playground');
		expect(await app.field('Request').inputValue()).toBe('Create or update a Live Activity');
		await app.field('Stream key').waitFor();
	});

	it('starts from a template, and has its button in sight on every screen', async () => {
		for (const [width, height] of [
			[1440, 900],
			[390, 844],
		] as const) {
			await owner.page.setViewportSize({ width, height });
			await app.button('Approval').click();
			expect(await app.field('Title').inputValue()).toBe('Approve the refund?');
			await owner.page.evaluate(() => window.scrollTo(0, 0));
			const box = await app.send().boundingBox();
			expect(box && box.y + box.height).toBeLessThanOrEqual(height);
			expect(await app.tooWide()).toEqual([]);
			expect(await app.findings()).toEqual([]);
		}
		await owner.page.setViewportSize({ width: 1280, height: 860 });
	});

	it('says at each field what is wrong with it, by the field’s label', async () => {
		await app.choose('Request', 'Send a push notification');
		await app.button('Start over').click();
		await owner.page.getByRole('button', { name: /more fields/ }).click();
		await app.button('Add buttons').click();
		const buttons = owner.page.getByRole('group', { name: 'Buttons', exact: true });
		await buttons.getByLabel('Label').first().fill('Approve');
		await buttons.getByLabel('URL').first().fill('nonsense');
		await buttons.getByText(/^URL must be/).waitFor();
		await app.send().click();
		await owner.page.getByRole('alert').getByText('Correct the marked fields.').waitFor();
		const isFocused = () =>
			buttons
				.getByLabel('URL')
				.first()
				.evaluate((one) => one === document.activeElement);
		await eventually(async () => expect(await isFocused()).toBe(true));
		expect(await app.findings()).toEqual([]);
		await app.button('Start over').click();
		await owner.page.getByRole('alert').waitFor({ state: 'detached' });
	});

	it('offers icons and colors by their looks, and keys that exist', async () => {
		await app.button('Deployment').click();
		await app.openList(app.field('Color'));
		expect(await app.findings()).toEqual([]);
		await owner.page.getByRole('option', { name: 'Orange' }).locator('.tint-orange').waitFor();
		await owner.page.getByRole('option', { name: 'Orange' }).click();
		await app.field('Icon').fill('gau');
		await owner.page.getByRole('option', { name: 'gauge' }).locator('svg').waitFor();
		await owner.page.keyboard.press('Escape');
		expect(await app.findings()).toEqual([]);
		await app.send().click();
		await owner.page.getByText('Started on 1 phone').waitFor();
		await owner.page.getByText('Answer', { exact: true }).click();
		await owner.page.getByText('"operation": "started"').waitFor();
		await app.choose('Request', 'End a Live Activity');
		await app.field('Stream key').fill('depl');
		await owner.page.getByRole('option', { name: 'deployment' }).click();
		await app.send().click();
		await owner.page.getByText('Ended on 1 phone').waitFor();
	});

	it('shows clock, date and metric in front of the wallpaper', async () => {
		await app.choose('Request', 'Set a metric');
		const preview = owner.page.getByRole('region', { name: 'Preview' });
		for (const part of ['.clock-date', '.clock-time', '.widget-value'])
			expect([part, await isInFront(preview.locator(part).first())]).toEqual([part, true]);
	});

	it('has every field of the contract behind one button, a webhook’s body among them', async () => {
		await app.choose('Request', 'Create or update a Live Activity');
		await owner.page.getByRole('button', { name: /more fields/ }).click();
		await app.choose('Type', 'Progress');
		await app.field('Title').fill('Upload');
		await app.field('Value').fill('3');
		await app.field('Upper limit').fill('4');
		await app.field('Icon').fill('bolt');
		await app.choose('Icon color', 'Red');
		await owner.page.getByRole('button', { name: 'Add button', exact: true }).click();
		const button = owner.page.getByRole('group', { name: 'Button', exact: true });
		await button.getByLabel('Label').fill('Approve');
		await app.openList(button.getByLabel('When tapped').and(owner.page.locator('input')));
		await owner.page.getByRole('option', { name: 'Call a webhook' }).click();
		await button.getByLabel('URL').fill('https://example.com/hook');
		await button.getByLabel('Body').fill('{"order": 42}');
		const preview = owner.page.getByRole('region', { name: 'Preview' });
		await preview.getByText('Upload').waitFor();
		await preview.getByRole('button', { name: 'Approve' }).click();
		await preview.getByText('This is only a preview: nothing was called.').waitFor();
		expect(await app.findings()).toEqual([]);
		await app.screenshot('console-playground-fields-light');
		await app.send().click();
		await owner.page.getByText(/Started (anew )?on 1 phone/).waitFor();
		await phone.page.getByText('Upload').first().waitFor();
	});

	it('copies the request as curl and as a node for n8n’s editor', async () => {
		await owner.context.grantPermissions(['clipboard-read', 'clipboard-write']);
		const clipboard = () => owner.page.evaluate(() => navigator.clipboard.readText());
		await app.choose('Request', 'Send a push notification');
		await app.field('Title').fill('Your order is on its way');
		await app.button('Copy as curl').click();
		await eventually(async () => {
			expect(await clipboard()).toContain(
				`curl -X POST '${world.server.url}/api/push-notification'`,
			);
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

describe('a picture for a push', () => {
	const PUBLIC = 'https://beckon.example.com';

	/** A red square of two by two pixels. */
	const PNG = Buffer.from(
		'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
		'base64',
	);

	const choose = async (buffer: Buffer, mimeType = 'image/png') => {
		const chooser = owner.page.waitForEvent('filechooser');
		await pictureButton().click();
		await (await chooser).setFiles({ name: 'oven.png', mimeType, buffer });
	};
	const pictureButton = () => owner.page.getByRole('button', { name: 'Picture from a file' });
	const alert = () => owner.page.getByRole('alert');
	const thumbnail = () =>
		owner.page.getByRole('region', { name: 'Preview' }).locator('.notification img.thumbnail');

	it('needs a server with an https address, and says how to set it', async () => {
		await app.open('Playground');
		await app.choose('Request', 'Send a push notification');
		await choose(PNG);
		await alert()
			.getByText(
				'Phones fetch pictures from this server by https only. Set BECKON_PUBLIC_URL on the server to its https address.',
			)
			.waitFor();
		expect(await app.findings()).toEqual([]);
		await app.choose('Request', 'Set the app icon badge');
		await alert().waitFor({ state: 'detached' });
	});

	it('is stored on the server, which gives it the address that the preview shows', async () => {
		await world.server.stop();
		world.server.settings = { BECKON_PUBLIC_URL: PUBLIC };
		await world.server.start();
		await owner.context.route(`${PUBLIC}/images/*`, async (route) => {
			const { pathname } = new URL(route.request().url());
			await route.fulfill({ response: await route.fetch({ url: world.server.url + pathname }) });
		});
		await owner.page.reload();
		await app.choose('Request', 'Send a push notification');
		await choose(PNG);
		await pictureButton().getByText('oven.png').waitFor();
		await thumbnail().waitFor();
		expect(await thumbnail().getAttribute('src')).toMatch(`${PUBLIC}/images/`);
		await eventually(async () =>
			expect(await thumbnail().evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(2),
		);
		expect(await app.findings()).toEqual([]);
	});

	it('is the media of the push that is sent', async () => {
		const url = await thumbnail().getAttribute('src');
		const [request] = await Promise.all([
			owner.page.waitForRequest('**/console/api/playground/send'),
			app.send().click(),
		]);
		expect(request.postDataJSON()).toMatchObject({ body: { media: url } });
		await owner.page.getByText('Sent to 1 phone').waitFor();
	});

	it('is kept when another file is refused, with the server’s words', async () => {
		const url = await thumbnail().getAttribute('src');
		await choose(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
		await alert().getByText('The body is not a JPEG, PNG, GIF or WebP picture.').waitFor();
		await choose(Buffer.concat([PNG, Buffer.alloc(5_000_000)]));
		await alert().getByText('A picture can be at most 2 MB.').waitFor();
		expect(await thumbnail().getAttribute('src')).toBe(url);
	});

	it('is removed with a button', async () => {
		await app.button('Remove the picture').click();
		await thumbnail().waitFor({ state: 'detached' });
		await alert().waitFor({ state: 'detached' });
		expect(await pictureButton().textContent()).toBe('Choose a file');
	});
});
