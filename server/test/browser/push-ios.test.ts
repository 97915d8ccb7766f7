import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually } from './support/browser.ts';
import { ClosedPhone } from './support/closed-phone.ts';
import { BACKUP } from './support/examples.ts';
import type { Api } from './support/server.ts';

/** Safari on iOS ignores `tag`, `silent`, `renotify` and buttons, and tells nobody of a swipe. */
describe('on an iPhone, a closed page', () => {
	let bench: Bench;
	let api: Api;
	let closed: ClosedPhone;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ api } = bench);
		closed = await ClosedPhone.of(bench);
		const { context } = bench.opened;
		await context.grantPermissions(['notifications'], { origin: bench.server.url });
		await bench.pair();
		const { page } = bench.phone;
		await bench.phone.setting('Notifications').and(page.locator('[aria-checked=true]')).waitFor();
		await page.goto('about:blank');
		await closed.takesOver(() => api.push({ title: 'Is it closed?' }));
		await closed.becomeIphone();
	});

	beforeEach(() => closed.clear());

	afterAll(async () => {
		await closed.close();
		await bench.close();
	});

	const titles = async () => (await closed.notifications()).map(({ title }) => title).sort();
	/** Hands the last message over again, as a later delivery. */
	const again = async (change: (data: any, n: number) => void, times: number) => {
		const { message } = closed.service.received.at(-1)!;
		for (let n = 1; n <= times; n += 1) {
			const copy = structuredClone(message);
			copy.notification.data.id += 1_000_000 + n;
			change(copy.notification.data, n);
			await closed.hand(copy);
		}
	};

	it('shows one notification of a Live Activity, however often it changes', async () => {
		await api.stream('backup', BACKUP);
		await closed.notification('Nightly backup');
		await again((data, n) => (data.activity.content_state.percentage = 50 + n), 20);
		expect(await closed.notifications()).toMatchObject([
			{ title: 'Nightly backup', body: '70% · photos → archive' },
		]);
	});

	it('shows the last repeat of a push, beside other pushes', async () => {
		await api.push({ title: 'Milk is out' });
		await closed.notification('Milk is out');
		await api.push({ title: 'Water in the cellar' });
		await closed.notification('Water in the cellar');
		await again(() => undefined, 3);
		expect(await titles()).toEqual(['Milk is out', 'Water in the cellar']);
	});

	it('shows a known delivery again, in place of itself', async () => {
		await api.push({ title: 'Known' });
		await closed.notification('Known');
		await closed.hand(closed.service.received.at(-1)!.message);
		expect(await titles()).toEqual(['Known']);
	});

	it('does not take a replaced notification for a dismissed one', async () => {
		await api.stream('backup', { ...BACKUP, value: 10 }, { alert: { title: 'Again' } });
		await closed.notification('Again');
		await closed.replaced('Again');
		await api.stream('backup', { value: 120 }, { alert: { title: 'Still there' } });
		await eventually(async () => expect(await titles()).toEqual(['Still there']));
	});
});
