import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { installFolder } from '../../../../scripts/lib/install-folder.ts';
import { describeTool, TOOLS } from '../../../src/http/mcp/tools.ts';

/** One tool that a model does not accept costs an agent all of them. */

const FOLDER = join(import.meta.dirname, 'model-sdks');
const load = createRequire(join(FOLDER, 'package.json'));

const DESCRIBED = TOOLS.map(describeTool);

beforeAll(async () => {
	const announcement = 'Installing the SDKs of three models: 130 MB, the first time only …';
	await installFolder(FOLDER, { announcement });
});

describe.each(DESCRIBED.map((tool) => [tool.name, tool] as const))('%s', (_name, tool) => {
	it('is a strict tool for OpenAI, whose SDK returns another one for what it cannot convert', () => {
		const { mcpToFunctionTool } = load('@openai/agents-core');
		const { strict, parameters } = mcpToFunctionTool(tool, { name: 'beckon' }, true);
		expect(strict).toBe(true);
		expect(Object.keys(parameters.properties)).toEqual(Object.keys(tool.inputSchema.properties!));
	});

	it('is one for Anthropic, whose SDK moves what is not accepted into descriptions', () => {
		const { transformJSONSchema } = load('@anthropic-ai/sdk/lib/transform-json-schema');
		expect(transformJSONSchema(tool.inputSchema)).toEqual(withoutTypesOfEnums(tool.inputSchema));
	});
});

it('all are functions for Gemini, whose SDK sends on what the service then refuses', async () => {
	const { GoogleGenAI } = load('@google/genai');
	const bodies: any[] = [];
	const standIn = createServer((request, response) => {
		void json(request).then((body) => {
			bodies.push(body);
			response.setHeader('content-type', 'application/json').end('{"candidates":[]}');
		});
	});
	await new Promise<void>((resolve) => void standIn.listen(0, '127.0.0.1', resolve));
	const baseUrl = `http://127.0.0.1:${(standIn.address() as AddressInfo).port}`;
	const functionDeclarations = DESCRIBED.map(({ name, description, inputSchema: parameters }) => ({
		name,
		description,
		parameters,
	}));
	await new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl } }).models.generateContent({
		model: 'gemini',
		contents: 'Hello',
		config: { tools: [{ functionDeclarations }] },
	});
	standIn.close();

	const [{ functionDeclarations: sent }] = bodies[0].tools;
	expect(sent.map(({ name }: any) => name)).toEqual(TOOLS.map(({ name }) => name));
	const types = readFileSync(join(FOLDER, 'node_modules/@google/genai/dist/genai.d.ts'), 'utf8');
	const [, schema = ''] = /export declare interface Schema \{(.*?)^\}/ms.exec(types) ?? [];
	const known = new Set([...schema.matchAll(/^ {4}(\w+)\?:/gm)].map(([, name]) => name));
	expect(known).toContain('properties');
	for (const { name, parameters } of sent)
		for (const part of partsOf(parameters)) {
			expect([name, Object.keys(part).filter((word) => !known.has(word))]).toEqual([name, []]);
			expect([name, part.type]).not.toEqual([name, 'TYPE_UNSPECIFIED']);
			expect([undefined, 'date-time']).toContain(part.format);
		}
});

/** A schema, and all in it. */
function partsOf(schema: any): any[] {
	const { properties = {}, anyOf = [], items } = schema;
	const parts = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])];
	return [schema, ...parts.flatMap(partsOf)];
}

function withoutTypesOfEnums(schema: object): unknown {
	return JSON.parse(JSON.stringify(schema), (_key, value) => {
		const { type: _type, ...rest } = Object(value);
		return Array.isArray(rest.enum) ? rest : value;
	});
}
