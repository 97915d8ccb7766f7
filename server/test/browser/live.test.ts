import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bench, openBench } from './support/bench.ts';
import { eventually } from './support/browser.ts';
import {
	BACKUP,
	BREAD,
	createMetrics,
	DEPLOY,
	EURO,
	METRICS,
	SALES,
	SERVER,
	WATER,
} from './support/examples.ts';
import type { PhonePage } from './support/phone-page.ts';
import type { Api } from './support/server.ts';

/** Live changes on the lock screen, and lost connections. */
describe('the phone page, live', () => {
	let bench: Bench;
	let phone: PhonePage;
	let api: Api;

	beforeAll(async () => {
		bench = await openBench('Bakery');
		({ phone, api } = bench);
		await bench.pair();
	});

	afterAll(async () => {
		await bench.close();
	});

	describe('metrics', () => {
		it('show the newest value in their format', async () => {
			await createMetrics(bench, METRICS);
			for (const { key, name, value, shows } of METRICS) {
				await api.metric(key, value);
				await eventually(async () => expect(await phone.widget(key).innerText()).toContain(shows));
				expect(await phone.widget(key).innerText()).toContain(name);
			}
			await api.metric('orders', 319);
			await eventually(async () =>
				expect(await phone.widget('orders').innerText()).toContain('319'),
			);
		});
	});

	describe('Live Activities', () => {
		it('show steps', async () => {
			const secondary = { title: 'Roll back', type: 'webhook', url: bench.hooks.url('/rollback') };
			const action = { title: 'Open log', type: 'open_url', url: 'https://example.com/log' };
			await api.stream('deploy', DEPLOY, { action, secondary_action: secondary });
			const card = phone.activity('Deploy shop 4.2.0');
			await card.waitFor();
			expect(await card.innerText()).toMatch(
				/production[\s\S]*Running the migrations[\s\S]*3\s*\/5/,
			);
			expect(await card.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('3');
			const steps = card.locator('.segment');
			expect(
				await steps.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-progress'))),
			).toEqual(['done', 'done', 'done', 'next', 'open']);
			const colors = await steps.evaluateAll((nodes) =>
				nodes.map((node) => getComputedStyle(node).backgroundColor),
			);
			expect(colors[0]).toBe(colors[1]);
			expect(colors[0]).not.toBe(colors[2]);

			await api.stream('deploy', {
				current_step: 4,
				step_colors: ['green', 'green', 'lime', 'green'],
			});
			await eventually(async () => expect(await card.innerText()).toMatch(/4\s*\/5/));
		});

		it('call the webhook of their second button', async () => {
			const card = phone.activity('Deploy shop 4.2.0');
			expect(await card.getByRole('link', { name: 'Open log' }).getAttribute('href')).toBe(
				'https://example.com/log',
			);
			await card.getByRole('button', { name: 'Roll back' }).click();
			await card.locator('.action-result[data-kind=called]').waitFor();
			expect(bench.hooks.calls.splice(0)).toMatchObject([{ path: '/rollback' }]);
		});

		it('show gauges', async () => {
			await api.stream('server', SERVER);
			const card = phone.activity('web-1');
			await card.waitFor();
			expect(await card.locator('.ring').count()).toBe(2);
			expect(await card.innerText()).toMatch(
				/42\s*%\s*CPU[\s\S]*78\s*%\s*Memory[\s\S]*1,240\s*\/s\s*Requests/,
			);
		});

		it('tick their timers by themselves, and freeze them', async () => {
			await api.stream('bread', BREAD);
			const time = phone.activity('Sourdough').getByRole('timer');
			await time.waitFor();
			const first = await time.innerText();
			expect(first).toMatch(/^(25:00|24:5\d)$/);
			await eventually(async () => expect(await time.innerText()).not.toBe(first));
			await api.stream('bread', { is_running: false });
			await eventually(async () => expect(await time.innerText()).toContain('Paused'));
			const frozen = await time.innerText();
			await phone.page.waitForTimeout(2_100);
			expect(await time.innerText()).toBe(frozen);
		});

		it('show progress, which moves', async () => {
			await api.stream('backup', BACKUP);
			const card = phone.activity('Nightly backup');
			await eventually(async () =>
				expect(await card.innerText()).toMatch(/64%[\s\S]*128\.6 of 200/),
			);
			await api.stream('backup', { value: 150 });
			await eventually(async () => expect(await card.innerText()).toContain('75%'));
		});

		it('show values, with a banner for an alert that goes by itself', async () => {
			await api.stream('euro', EURO, {
				alert: { title: 'Euro rises', body: 'Above 1.08 this week.' },
			});
			await eventually(async () =>
				expect(await phone.activity('EUR / USD').innerText()).toMatch(/1\.0842/),
			);
			const banner = phone.page.locator('.banner');
			expect(await banner.innerText()).toMatch(/Euro rises\s*Above 1\.08 this week\./);
			await phone.screenshots('alert');
			await banner.waitFor({ state: 'detached' });
		});

		it('stay for a while after their end, marked, and leave by themselves', async () => {
			await api.endStream('euro', { value: '1.0850', auto_dismiss_seconds: 3 });
			const card = phone.activity('EUR / USD');
			await eventually(async () => expect(await card.innerText()).toMatch(/Ended[\s\S]*1\.0850/));
			await eventually(async () => expect(await card.count()).toBe(0));
		});

		it('show numbers and alerts', async () => {
			await api.stream('sales', SALES);
			await eventually(async () =>
				expect(await phone.activity('Sales today').innerText()).toMatch(
					/318\s*Orders\s*€ 12\.4k\s*Revenue\s*3\s*Returns/,
				),
			);
			await api.endStream('sales', { auto_dismiss_minutes: 0 });
			await eventually(async () => expect(await phone.activity('Sales today').count()).toBe(0));
			await api.stream('water', WATER);
			await eventually(async () =>
				expect(await phone.activity('Water in the cellar').innerText()).toContain('12 mm'),
			);
		});

		it('go when they are closed, and an update does not bring them back', async () => {
			const card = phone.activity('Water in the cellar');
			await phone.dismiss('activity', 'Water in the cellar');
			await eventually(async () => expect(await card.count()).toBe(0));
		});
	});

	describe('the connection', () => {
		const titles = () => phone.page.locator('.activity:not(.is-leaving) h3').allInnerTexts();

		it('shows the same after a reload', async () => {
			const before = await titles();
			expect(before).toEqual(['Nightly backup', 'Sourdough', 'web-1', 'Deploy shop 4.2.0']);
			await phone.page.reload();
			await phone.live();
			expect(await titles()).toEqual(before);
			expect(await phone.widget('orders').innerText()).toContain('319');
		});

		it('says when it is lost, and catches up after the server came back', async () => {
			await bench.server.stop();
			await phone.page.getByText('Reconnecting…').first().waitFor();
			expect(await titles()).toContain('Sourdough');
			await bench.server.start();
			await api.push({ title: 'While you were away', badge: 9 });
			await api.stream('backup', { value: 200 });
			await phone.live();
			await phone.notification('While you were away').waitFor();
			await eventually(async () =>
				expect(await phone.activity('Nightly backup').innerText()).toContain('100%'),
			);
			expect(await phone.badge().innerText()).toBe('9');
			expect(await phone.notification('While you were away').count()).toBe(1);
			bench.opened.complaints.length = 0;
		});

		it('broke no rule of its content security policy, and raised no error', () => {
			expect(bench.opened.complaints).toEqual([]);
		});
	});
});
