import { launchBrowser } from '../support/browser.ts';
import type { Bench } from '../support/bench.ts';
import { startLanguageModel } from '../support/language-model.ts';
import type { Execution, SavedWorkflow, Workflow } from '../support/n8n-api.ts';
import { until } from '../support/wait.ts';
import { BECKON, chain, MANUAL_TRIGGER, node } from '../support/workflows.ts';

/** Follows the note of an imported example, and returns the execution that matters. */
export type Play = (bench: Bench, workflow: Workflow) => Promise<Execution>;

const nodeOf = ({ name, nodes }: Workflow, type: string) => {
	const found = nodes.find((candidate) => candidate.type === type);
	if (!found) throw new Error(`"${name}" has no ${type}`);
	return found;
};

async function lastPush({ phone }: Bench): Promise<number> {
	return (await phone.sent()).at(-1)?.id ?? 0;
}

/** Executes the example from its manual trigger. */
export const execute: Play = async ({ api, save }, workflow) => {
	const { name } = nodeOf(workflow, MANUAL_TRIGGER);
	return await api.settled(await api.run(await save(workflow), name));
};

/** The question on the phone that was asked last. */
async function lastQuestion({ phone }: Bench) {
	const last = (await phone.sent()).at(-1);
	const { question } = last?.kind === 'push' ? last.push : {};
	if (!question) throw new Error('The last message asks nothing');
	return question;
}

/** Taps the first button of the last question. */
async function tapFirst(bench: Bench): Promise<void> {
	const { question_id: id, choices = [] } = await lastQuestion(bench);
	await bench.phone.answer(id, { choice: choices[0]?.id ?? '' });
}

/** Executes the example, and taps the first button of its question. */
export const executeAndTap: Play = async (bench, workflow) => {
	const { id, status, error } = await execute(bench, workflow);
	expect(error?.message).toBeUndefined();
	expect(status).toBe('waiting');
	await tapFirst(bench);
	return await bench.api.ended(id);
};

/** Executes the example, and answers its questions: the first on the phone, the second on its page. */
export const executeAndFillIn: Play = async (bench, workflow) => {
	const { id, status, error } = await execute(bench, workflow);
	expect(error?.message).toBeUndefined();
	expect(status).toBe('waiting');
	const browser = await launchBrowser();
	try {
		const page = await browser.newPage();
		const opened = await lastPush(bench);
		const { question_id: first } = await lastQuestion(bench);
		await bench.phone.answer(first, { text: 'Yes, we can. Best, Ada (from the phone)' });
		await until(async () => (await lastPush(bench)) > opened || undefined, {
			what: 'second question',
		});
		// The push arrives a moment before n8n has stored that the execution waits.
		const parcels = page.getByLabel('Parcels');
		await until(
			async () => {
				await page.goto((await lastQuestion(bench)).link?.url ?? '');
				return (await parcels.count()) > 0 || undefined;
			},
			{ what: 'second form' },
		);
		await parcels.fill('2');
		await page.getByLabel('Time').selectOption('Morning');
		await page.getByRole('button', { name: 'Submit' }).click();
		await page.getByText('Your answer was recorded').waitFor();
		return await bench.api.ended(id);
	} finally {
		await browser.close();
	}
};

/** Activates it, chooses it in the button, executes its upper half, and taps to start the lower half. */
export const executeAndStart: Play = async (bench, workflow) => {
	const { api, credential, phone, save } = bench;
	const saved = await save(workflow);
	await api.activate(saved);
	const field = {
		nodeType: BECKON,
		path: 'actions.button[0].trigger',
		methodName: 'searchTriggers',
		credential,
	};
	const { value } = await until(
		async () => (await api.search({ ...field, filter: workflow.name })).at(0),
		{ what: 'trigger in the list' },
	);
	const chosen = JSON.stringify(saved.nodes).replace(/("mode":"list","value":)""/, `$1"${value}"`);
	const nodes = JSON.parse(chosen) as SavedWorkflow['nodes'];
	const edited = await api.update(saved, { nodes });
	const { id } = await api.settled(await api.run(edited, nodeOf(workflow, MANUAL_TRIGGER).name));
	await phone.tap({ delivery_id: await lastPush(bench), action: 0 });
	const started = await until(
		async () => (await api.executions(saved.id)).find((execution) => execution.id !== id),
		{ what: 'execution that the button started' },
	);
	return await api.ended(started.id);
};

/** Makes another workflow fail that has this one as its error workflow. */
export const failElsewhere: Play = async ({ api, n8n, save }, workflow) => {
	const saved = await save(workflow);
	await api.activate(saved);
	const failing = chain('Nightly backup', [
		node('Called', 'n8n-nodes-base.webhook', { path: 'backup', httpMethod: 'POST' }),
		node('Copy Files', 'n8n-nodes-base.stopAndError', { errorMessage: 'The disk is full' }),
	]);
	await api.activate(await save({ ...failing, settings: { errorWorkflow: saved.id } }));
	await n8n.callWebhook('backup');
	const told = await until(async () => (await api.executions(saved.id))[0], {
		what: 'execution of the error workflow',
	});
	return await api.ended(told.id);
};

interface Prompt {
	chatInput: string;
	/** What the language model gives the first tool. */
	word: string;
	conclusion: string;
}

/**
 * Gives the agent a prompt.
 * @param then what happens once the execution has ended, or waits
 */
async function promptAgent(
	{ api, save }: Bench,
	workflow: Workflow,
	{ chatInput, word, conclusion }: Prompt,
	then: (execution: Execution) => Promise<Execution>,
): Promise<Execution> {
	const model = await startLanguageModel(word, conclusion);
	try {
		const { id, name } = await api.createCredential('Language model', 'openAiApi', {
			apiKey: 'none',
			url: model.url,
		});
		const nodes = workflow.nodes.map((candidate) =>
			candidate.type.endsWith('.lmChatOpenAi')
				? { ...candidate, credentials: { openAiApi: { id, name } } }
				: candidate,
		);
		const message = { sessionId: '1', action: 'sendMessage', chatInput };
		const saved = await save({ ...workflow, nodes, pinData: { Chat: [{ json: message }] } });
		const execution = await api.settled(await api.run(saved, 'Chat'));
		expect(execution.error?.message).toBeUndefined();
		return await then(execution);
	} finally {
		model.close();
	}
}

/** Gives the agent the prompt from the note, then approves its action on the phone. */
export const allowAgent: Play = async (bench, workflow) =>
	await promptAgent(
		bench,
		workflow,
		{ chatInput: 'Restart web-1, please', word: 'web-1', conclusion: 'web-1 was restarted.' },
		async ({ id, status }) => {
			expect(status).toBe('waiting');
			await tapFirst(bench);
			return await bench.api.ended(id);
		},
	);

/** Gives the agent the server's tools, through n8n's own MCP client. */
export const useTools: Play = async (bench, workflow) => {
	const { baseUrl, apiKey } = bench.access;
	const { id, name } = await bench.api.createCredential('Beckon', 'httpBearerAuth', {
		token: apiKey,
	});
	const endpointUrl = baseUrl.replace('/api', '/mcp');
	const nodes = workflow.nodes.map((candidate) =>
		candidate.type.endsWith('.mcpClientTool')
			? {
					...candidate,
					parameters: { ...candidate.parameters, endpointUrl },
					credentials: { httpBearerAuth: { id, name } },
				}
			: candidate,
	);
	return await promptAgent(
		bench,
		{ ...workflow, nodes },
		{ chatInput: 'Tell the team', word: 'Lunch is at one', conclusion: 'The team knows.' },
		(execution) => Promise.resolve(execution),
	);
};
