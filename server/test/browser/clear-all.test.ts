import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { PhonePage } from './support/phone-page.ts';

jest.setTimeout(60_000);

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
	}, 120_000);

	afterAll(() => bench?.close());

	/** The stack's edge, by role: one that departs is still on its way out. */
	const edge = ({ page }: PhonePage) =>
		page.getByRole('button', { name: `Show ${SENT - 2} more notifications` });

	it('shows how many there are, not how many the snapshot has', async () => {
		await edge(bench.phone).waitFor();
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
