import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
	required?: string[];
}

interface Tool {
	function: { name: string; parameters?: Schema };
}

interface ChatRequest {
	messages: Array<{ role: string }>;
	tools?: Tool[];
}

export interface LanguageModel {
	/** The address of the API, for n8n's credential. */
	url: string;
	close: () => void;
}

/** A value that fits a schema, with the same word for every text that it requires. */
function filledIn({ type, properties = {}, required }: Schema, word: string): unknown {
	if (type !== 'object') return word;
	const values = Object.entries(properties)
		.filter(([key]) => required?.includes(key) ?? true)
		.map(([key, value]) => [key, filledIn(value, word)]);
	return Object.fromEntries(values);
}

const callOf = ({ function: { name, parameters = { type: 'object' } } }: Tool, word: string) => ({
	id: 'call_1',
	type: 'function',
	function: { name, arguments: JSON.stringify(filledIn(parameters, word)) },
});

/**
 * Replaces a language model, on whose words no test could rely: it uses the offered tool once, and then
 * says that it is done.
 * @param word given to the tool
 * @param conclusion its last message
 */
export async function startLanguageModel(word: string, conclusion: string): Promise<LanguageModel> {
	async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { messages, tools = [] } = (await json(request)) as ChatRequest;
		const [tool] = tools;
		const wasUsed = messages.some(({ role }) => role === 'tool');
		const message =
			tool && !wasUsed
				? { role: 'assistant', content: null, tool_calls: [callOf(tool, word)] }
				: { role: 'assistant', content: conclusion };
		const body = {
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 0,
			model: 'stand-in',
			choices: [{ index: 0, message, finish_reason: tool && !wasUsed ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify(body));
	}

	const server = createServer((request, response) => {
		complete(request, response).catch((error: unknown) => response.destroy(error as Error));
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}
