import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { PhonePage } from './support/phone-page.ts';

/** More than a snapshot holds. */
const SENT = 55;

describe('clearing all notifications', () => {
	let bench: Bench;
	/** Another open page of the same phone. */
	let second: PhonePage;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		await bench.pair();
		for (let n = 1; n <= SENT; n += 1) await bench.api.push({ title: `Order ${n}` });
		second = new PhonePage(await bench.opened.context.newPage());
		for (const phone of [bench.phone, second]) {
			await phone.page.goto(`${bench.server.url}/phone`);
			await phone.live();
			await phone.notification(`Order ${SENT}`).waitFor();
		}
	});

	afterAll(() => bench?.close());

	/** The stack's edge, by role: one that departs is still on its way out. */
	const edge = ({ page }: PhonePage) =>
		page.getByRole('button', { name: `Show ${SENT - 2} more notifications` });

	it('shows how many there are, not how many the snapshot has', async () => {
		await edge(bench.phone).waitFor();
	});

	it('opens the recent ones, drops none while others come, and has the rest in the history', async () => {
		const { phone } = bench;
		await edge(phone).click();
		const oldest = phone.notification(`Order ${SENT - 49}`);
		await oldest.waitFor();
		await bench.api.push({ title: 'Pushes in' });
		await phone.notification('Pushes in').waitFor();
		expect(await oldest.count()).toBe(1);
		await phone.page.getByRole('button', { name: `${SENT - 50} older in the history` }).click();
		await phone.page.getByRole('heading', { name: 'History' }).waitFor();
		await phone.page.getByRole('button', { name: 'Back' }).click();
		await phone.page.getByRole('button', { name: 'Show less' }).click();
		await phone.dismiss('notification', 'Pushes in');
		await edge(phone).waitFor();
		await edge(second).waitFor();
		// Until its undo is over, it counts with what is dismissed next.
		await phone.page.getByText('Notification dismissed').waitFor({ state: 'detached' });
	});

	it('clears every one with one request, on each open page of the phone', async () => {
		const requests: string[] = [];
		bench.phone.page.on('request', (request) => {
			if (request.method() === 'POST') requests.push(new URL(request.url()).pathname);
		});
		await bench.phone.page.getByRole('button', { name: 'Clear all notifications' }).click();
		await bench.phone.page.getByText(`${SENT} notifications cleared`).waitFor();
		await second.page.getByText('No notifications.').waitFor();
		expect(requests).toEqual(['/device/notifications/clear']);
	});

	it('brings them back, on each open page of the phone', async () => {
		await bench.phone.page.getByRole('button', { name: 'Undo' }).click();
		for (const phone of [bench.phone, second]) {
			// By role: the departing card may still be on its way out.
			await phone.page.getByRole('article', { name: `Order ${SENT}`, exact: true }).waitFor();
			await edge(phone).waitFor();
		}
	});

	it('leaves nothing to come back after a reload', async () => {
		await bench.phone.page.getByRole('button', { name: 'Clear all notifications' }).click();
		await bench.phone.page.getByText(`${SENT} notifications cleared`).waitFor();
		await bench.phone.page.reload();
		await bench.phone.live();
		await bench.phone.page.getByText('No notifications.').waitFor();
	});
});
