import type { Browser } from 'playwright-core';

import type { Check } from './check.ts';
import { launchBrowser } from '../support/browser.ts';
import { Editor } from '../support/editor.ts';
import { BECKON } from '../support/workflows.ts';

export const checkPickers: Check = (bench) => {
	describe('what the fields offer for choice', () => {
		let browser: Browser | undefined;

		afterAll(async () => {
			await browser?.close();
		});

		it('lists the channels of the account', async () => {
			const { api, credential } = bench();
			const channels = await api.options({
				nodeType: BECKON,
				path: 'channels',
				methodName: 'getChannels',
				credential,
			});
			expect(channels.map(({ value }) => value)).toEqual(['ops', 'sales']);
		});

		it('finds a metric by a part of its name', async () => {
			const { api, credential } = bench();
			const metrics = await api.search({
				nodeType: BECKON,
				path: 'key',
				methodName: 'searchMetrics',
				credential,
				filter: 'cpu',
			});
			expect(metrics).toEqual([{ name: 'CPU load (cpu.load)', value: 'cpu.load' }]);
		});

		it('sets a metric that was found in the editor', async () => {
			browser = await launchBrowser();
			const editor = await Editor.logIn(browser, bench().n8n.url);
			await editor.newWorkflow();
			await editor.search('beckon');
			await editor.found('Beckon').click();
			await editor.found('Set value of metric').click();
			await editor.chooseCredential(bench().credential.id);
			await editor.chooseFromList('key', 'cpu', 'CPU load (cpu.load)');
			await editor.field('value').fill('73');
			await editor.executeStep();
			await editor.output.getByText('success').first().waitFor();
			const { metrics } = await bench().phone.snapshot();
			expect(metrics.find(({ key }) => key === 'cpu.load')?.value).toBe(73);
		});
	});
};
