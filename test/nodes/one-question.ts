import type { PhoneAnswerResponse, ShownQuestion } from '../../server/src/contract/questions.ts';
import type { Phone } from '../engine/phone.ts';
import type { WorkflowJson } from '../engine/run-workflow.ts';
import { TestServer } from '../engine/server.ts';
import { WaitingExecution } from '../engine/waiting.ts';
import type { Push } from './asking.ts';

/** The real server with a phone, for all tests of a file, and the waiting execution of a test. */
export let server: TestServer;
export let phone: Phone;
export let key: string;
export let execution: WaitingExecution;

/** Starts the server for the calling file. */
export function withOneQuestion(): void {
	beforeAll(async () => {
		server = await TestServer.start({ BECKON_WEBHOOK_ALLOW_PRIVATE: 'true' });
		({ key, phone } = await server.seedDemo());
	});

	afterAll(async () => {
		await server.stop();
	});

	afterEach(async () => {
		await execution.close();
	});
}

/** Runs the workflow until it waits. */
export async function waiting(
	workflow: WorkflowJson,
	beckonApi = { baseUrl: server.baseUrl, apiKey: key },
) {
	execution = await WaitingExecution.of({ workflow, credentials: { beckonApi } });
	return await execution.start();
}

export async function lastPush(): Promise<Push> {
	return (await phone.inbox()).findLast(({ kind }) => kind === 'push') as Push;
}

/** The question that the phone got last. */
export async function lastQuestion(): Promise<ShownQuestion> {
	const { question } = (await lastPush()).push;
	if (!question) throw new Error('The last push asks nothing');
	return question;
}

/** Answers the last question on the phone. */
export async function answer(
	given: { choice: string } | { text: string },
): Promise<PhoneAnswerResponse> {
	return await phone.answer((await lastQuestion()).question_id, given);
}

/** The same, and returns the resumed run. */
export async function goneOnWith(given: { choice: string } | { text: string }) {
	const goneOn = execution.goneOn();
	expect(await answer(given)).toMatchObject({ outcome: 'answered' });
	return await goneOn;
}
