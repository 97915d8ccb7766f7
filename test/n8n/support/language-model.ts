import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
}

interface Tool {
	function: { name: string; parameters?: Schema };
}

interface ChatRequest {
	messages: Array<{ role: string }>;
	tools?: Tool[];
}

export interface LanguageModel {
	/** What n8n's credential takes as the address of the API. */
	url: string;
	close: () => void;
}

/** What fits a schema, with the same word wherever it takes a text. */
function filledIn({ type, properties = {} }: Schema, word: string): unknown {
	if (type !== 'object') return word;
	const values = Object.entries(properties).map(([key, value]) => [key, filledIn(value, word)]);
	return Object.fromEntries(values);
}

const callOf = ({ function: { name, parameters = { type: 'object' } } }: Tool, word: string) => ({
	id: 'call_1',
	type: 'function',
	function: { name, arguments: JSON.stringify(filledIn(parameters, word)) },
});

/**
 * Stands in for a language model, whose own words no test could rely on: it uses the tool that it
 * is offered, once, and then says that it is done.
 * @param word what it gives to the tool
 * @param conclusion what it says in the end
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
