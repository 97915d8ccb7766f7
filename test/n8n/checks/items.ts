import type { Check } from './check.ts';
import type { Bench } from '../support/bench.ts';
import { startLanguageModel } from '../support/language-model.ts';
import type { Workflow } from '../support/n8n-api.ts';
import { BECKON, chain, MANUAL_TRIGGER, node } from '../support/workflows.ts';

/** Three items; the expression throws for the second. */
const THROWING: Workflow = {
	...chain('Continues', [
		node('Begin', MANUAL_TRIGGER),
		{
			...node('Send', BECKON, {
				title: '={{ $json.title || $("Nowhere").first().json.title }}',
			}),
			onError: 'continueRegularOutput',
		},
	]),
	pinData: { Begin: [{ json: { title: 'One' } }, { json: {} }, { json: { title: 'Three' } }] },
};

/** Two files, which n8n stores; the second only claims to be a picture. */
const PICTURES: Workflow = {
	...chain('Shows pictures', [
		node('Begin', MANUAL_TRIGGER),
		{
			...node('Store', 'n8n-nodes-base.convertToFile', {
				operation: 'toBinary',
				sourceProperty: 'bytes',
				options: { mimeType: 'image/jpeg' },
			}),
			typeVersion: 1.1,
		},
		node('Send', BECKON, { title: 'Picture', options: { imageField: 'data' } }),
	]),
	pinData: {
		Begin: ['\xff\xd8\xff\xe0', '<svg/>'].map((bytes) => ({
			json: { bytes: Buffer.from(bytes, 'latin1').toString('base64') },
		})),
	},
};

/** An agent that processes two items, and sends a push for each. */
const agent = (openAiApi: { id: string; name: string }): Workflow => {
	const { nodes, connections, ...workflow } = chain('Tells', [
		node('Begin', MANUAL_TRIGGER),
		{
			...node('Agent', '@n8n/n8n-nodes-langchain.agent', {
				promptType: 'define',
				text: '={{ $json.task }}',
				options: {},
			}),
			typeVersion: 2.2,
		},
	]);
	const model = {
		...node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', {
			model: { __rl: true, mode: 'list', value: 'gpt-4.1-mini' },
			options: {},
		}),
		typeVersion: 1.2,
		credentials: { openAiApi },
	};
	const tool = node('Tell', `${BECKON}Tool`, {
		title: '={{ $fromAI("title", "What happened", "string") }}',
	});
	return {
		...workflow,
		nodes: [...nodes, model, tool],
		connections: {
			...connections,
			Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
			Tell: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		pinData: { Begin: [{ json: { task: 'Say it' } }, { json: { task: 'Say it again' } }] },
	};
};

const titlesOf = async ({ phone }: Bench) =>
	(await phone.sent()).map((delivery) => (delivery.kind === 'push' ? delivery.push.title : ''));

export const checkItems: Check = (bench) => {
	describe('several items', () => {
		it('are sent also where the expression of one throws, with On Error set to Continue', async () => {
			const { api, save } = bench();
			const before = (await titlesOf(bench())).length;

			const execution = await api.settled(await api.run(await save(THROWING), 'Begin'));

			expect(execution.error?.message).toBeUndefined();
			expect(execution.status).toBe('success');
			expect((await titlesOf(bench())).slice(before)).toEqual(['One', 'Three']);
			const [one, two, three] = execution.itemsOf('Send');
			expect([one, three]).toMatchObject([
				{ json: { success: true }, pairedItem: { item: 0 } },
				{ json: { success: true }, pairedItem: { item: 2 } },
			]);
			expect(two).toMatchObject({
				json: { error: expect.stringMatching(/\S/) },
				pairedItem: { item: 1 },
			});
		});

		it('are not sent if the file of one, in the storage of n8n, is no picture', async () => {
			const { api, save } = bench();
			const before = (await titlesOf(bench())).length;

			const execution = await api.settled(await api.run(await save(PICTURES), 'Begin'));

			expect(execution.error?.message).toContain(
				'Image From Binary Field must hold a JPEG, PNG, GIF or WebP picture',
			);
			expect(await titlesOf(bench())).toHaveLength(before);
			expect(execution.itemsOf('Store')).toMatchObject([
				{ binary: { data: { id: expect.stringMatching(/^filesystem/) } } },
				{ binary: { data: { id: expect.stringMatching(/^filesystem/) } } },
			]);
		});

		it('of an agent may each use the node as a tool', async () => {
			const { api, save } = bench();
			const model = await startLanguageModel('It is done', 'I have said it.');
			try {
				const { id, name } = await api.createCredential('Model of the teller', 'openAiApi', {
					apiKey: 'none',
					url: model.url,
				});
				const before = (await titlesOf(bench())).length;

				const execution = await api.settled(
					await api.run(await save(agent({ id, name })), 'Begin'),
				);

				expect(execution.error?.message).toBeUndefined();
				expect(execution.status).toBe('success');
				expect(execution.itemsOf('Agent')).toHaveLength(2);
				expect((await titlesOf(bench())).slice(before)).toEqual(['It is done', 'It is done']);
			} finally {
				model.close();
			}
		});
	});
};
