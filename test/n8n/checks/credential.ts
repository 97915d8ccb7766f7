import type { Check } from './check.ts';
import { LINE_2 } from '../support/lines.ts';
import { freePorts } from '../support/ports.ts';

export const checkCredential: Check = (bench, line) => {
	describe('the credential test', () => {
		const test = async (differing: Record<string, string>) =>
			await bench().api.testCredential(bench().credential, { ...bench().access, ...differing });

		it('accepts a right key, and reaches no phone', async () => {
			const before = await bench().phone.inbox();
			expect(await test({})).toMatchObject({ status: 'OK' });
			expect(await bench().phone.inbox()).toEqual(before);
		});

		it('accepts an address with a slash at its end', async () => {
			expect(await test({ baseUrl: `${bench().access.baseUrl}/` })).toMatchObject({ status: 'OK' });
		});

		it('says that a key is wrong', async () => {
			const { status, message } = await test({ apiKey: `bk_${'x'.repeat(43)}` });
			expect(status).toBe('Error');
			expect(message).toContain('Check the API Key in the Beckon API credential');
		});

		it('says that an address lacks /api', async () => {
			const { status, message } = await test({
				baseUrl: bench().access.baseUrl.replace(/\/api$/, ''),
			});
			expect(status).toBe('Error');
			expect(message).toContain('It ends with /api');
		});

		it('says that something else answers at the address', async () => {
			const { status, message } = await test({ baseUrl: bench().n8n.url });
			expect(status).toBe('Error');
			expect(message).toContain('This does not look like a Beckon server');
		});

		it('says that nothing listens at the address', async () => {
			const [port] = await freePorts(1);
			expect(await test({ baseUrl: `http://127.0.0.1:${port}/api` })).toMatchObject({
				status: 'Error',
				message: expect.stringContaining('nothing is listening at this address'),
			});
		});

		it('says that http is spoken where https was expected', async () => {
			const { baseUrl } = bench().access;
			expect(await test({ baseUrl: baseUrl.replace('http:', 'https:') })).toMatchObject({
				status: 'Error',
				message: expect.stringContaining('it does not speak HTTPS there'),
			});
		});

		it('says that an address lacks http://', async () => {
			const { baseUrl } = bench().access;
			expect(await test({ baseUrl: baseUrl.replace('http://', '') })).toMatchObject({
				status: 'Error',
				message: expect.stringContaining('this is not a URL'),
			});
		});

		// n8n 1 has no such protection.
		if (line === LINE_2) {
			it("names the settings of n8n's SSRF protection where that does not permit the address", async () => {
				await bench().n8n.restart({ N8N_SSRF_PROTECTION_ENABLED: 'true' });
				try {
					const { status, message } = await test({});
					expect(status).toBe('Error');
					expect(message).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
				} finally {
					await bench().n8n.restart();
				}
			});
		}
	});
};
