import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Call } from '../../src/contract/calls.ts';
import { PUBLIC_CALLS } from '../../src/contract/public-calls.ts';
import { toToolSchema } from '../../src/http/mcp/schemas.ts';
import { describeTool, TOOLS, NEVER_OFFERED } from '../../src/http/mcp/tools.ts';
import { startTestServer } from '../support/server.ts';
import { modernMessage, olderMessage } from './support/client.ts';

/** Bytes of an answer, which each session of an agent begins with: about 4,000 tokens. */
const MOST_BYTES = 16_000;

const DESCRIBED = TOOLS.map((tool) => [tool.name, describeTool(tool)] as const);

/** The words that OpenAI's strict mode, Gemini and Anthropic all accept; `real/model-sdks.test.ts` asks their SDKs. */
const WORDS = new Set([
	...['type', 'description', 'format', 'enum', 'items', 'anyOf'],
	...['properties', 'required', 'additionalProperties'],
]);

/** A schema and all schemas in it, each with its path. */
function schemasIn(schema: any, path = ''): [path: string, schema: any][] {
	const children: [string, any][] = [
		...Object.entries(schema.properties ?? {}),
		...Object.entries(schema.anyOf ?? {}),
		...(schema.items ? [['items', schema.items] as [string, any]] : []),
	];
	return [
		[path, schema],
		...children.flatMap(([name, child]) => schemasIn(child, `${path}/${name}`)),
	];
}

describe.each(DESCRIBED)('the schemas of %s', (_name, { inputSchema, outputSchema }) => {
	const inputs = schemasIn(inputSchema);

	it('have only words that every model accepts', () => {
		const words = [...inputs, ...schemasIn(outputSchema ?? {})].flatMap(([path, schema]) =>
			Object.keys(schema)
				.filter((word) => !WORDS.has(word))
				.map((word) => `${path}: ${word}`),
		);
		expect(words).toEqual([]);
	});

	it('say of each argument what it is, and of each text which format', () => {
		for (const [path, { type, anyOf, format, enum: choices }] of inputs) {
			expect([path, typeof (type ?? anyOf)]).not.toEqual([path, 'undefined']);
			if (format) expect([path, type, format]).toEqual([path, 'string', 'date-time']);
			if (choices) expect([path, new Set(choices).size]).toEqual([path, choices.length]);
			if (choices)
				expect(choices.every((choice: unknown) => typeof choice === 'string')).toBe(true);
		}
	});

	it('have only closed objects with fields, and no object in a choice of types', () => {
		for (const [path, { type, anyOf, properties, required = [], additionalProperties }] of inputs) {
			if (anyOf)
				expect([path, anyOf.map((one: any) => one.type)]).toEqual([path, ['number', 'string']]);
			if (type !== 'object') continue;
			expect([path, additionalProperties]).toEqual([path, false]);
			expect(Object.keys(properties)).not.toEqual([]);
			expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
		}
	});
});

describe('tools', () => {
	it('say what they return if it is a question or a list', () => {
		const withOutput = DESCRIBED.filter(([, { outputSchema }]) => outputSchema);
		expect(withOutput.map(([name]) => name)).toEqual(['ask', 'list_questions', 'list_channels']);
	});

	it('leave out only fields that the calls have', () => {
		const text = JSON.stringify(
			TOOLS.flatMap(({ call }) => {
				const { params, body, query, response }: Call = PUBLIC_CALLS[call];
				return [params, body, query, response].flatMap((schema) =>
					schema ? [z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })] : [],
				);
			}),
		);
		const fields = new Set([...text.matchAll(/"(\w+)":/g)].map(([, name]) => name));
		for (const name of [...NEVER_OFFERED, ...TOOLS.flatMap(({ without = [] }) => without)])
			expect([name, fields.has(name)]).toEqual([name, true]);
	});

	it.each([
		['2026-07-28', modernMessage],
		['2025-11-25', olderMessage],
	])('take at most 16,000 bytes of a session, in revision %s', async (_revision, message) => {
		const server = await startTestServer();
		const { headers, body } = message('tools/list');
		const { rawPayload, statusCode } = await server.app.inject({
			method: 'POST',
			url: '/mcp',
			headers: { ...headers, authorization: `Bearer ${server.account.key}` },
			payload: body,
		});
		await server.close();
		expect(statusCode).toBe(200);
		expect(rawPayload.byteLength).toBeLessThanOrEqual(MOST_BYTES);
	});
});

describe('a schema of the contract as models get it', () => {
	const shown = (schema: z.ZodType, io: 'input' | 'output' = 'input') => toToolSchema(schema, io);

	it('loses what only the call checks', () => {
		const text = z.string().min(1).max(5).regex(/a/).describe('A text.');
		expect(shown(text)).toEqual({ type: 'string', description: 'A text.' });
		expect(shown(z.number().positive())).toEqual({ type: 'number' });
		expect(shown(z.url())).toEqual({ type: 'string' });
		expect(shown(z.iso.datetime())).toEqual({ type: 'string', format: 'date-time' });
	});

	it('has no references', () => {
		const part = z.object({ a: z.string() }).meta({ id: 'Part', description: 'A part.' });
		expect(shown(z.strictObject({ one: part, two: part.describe('Another.') }))).toMatchObject({
			properties: {
				one: { type: 'object', description: 'A part.', properties: { a: { type: 'string' } } },
				two: { type: 'object', description: 'Another.', properties: { a: { type: 'string' } } },
			},
			required: ['one', 'two'],
		});
		// The registry is that of the contract, whose test may run in the same process.
		z.globalRegistry.remove(part);
	});

	it('has the first of several objects', () => {
		const one = z.strictObject({ type: z.literal('a'), x: z.string().optional() });
		const other = z.strictObject({ type: z.literal('b'), y: z.string() });
		expect(shown(z.discriminatedUnion('type', [one, other]))).toEqual({
			type: 'object',
			properties: { type: { type: 'string', enum: ['a'] }, x: { type: 'string' } },
			required: ['type'],
			additionalProperties: false,
		});
	});

	it('has the simple one of a text and an object, and both of two simple ones', () => {
		const object = z.strictObject({ a: z.string() });
		expect(shown(z.union([z.string(), object]))).toEqual({ type: 'string' });
		expect(shown(z.union([z.number(), z.string()]))).toEqual({
			anyOf: [{ type: 'number' }, { type: 'string' }],
		});
		expect(shown(z.string().nullable())).toEqual({ type: 'string' });
		expect(shown(object.nullable())).toMatchObject({ type: 'object' });
	});

	it('has no objects with any fields, unless it is an output, which has all types', () => {
		const schema = z.strictObject({
			a: z.string().nullable(),
			free: z.record(z.string(), z.unknown()).optional(),
			by: z.union([z.strictObject({ user: z.string() }), z.literal('form')]),
		});
		expect(shown(schema)).toMatchObject({ properties: { by: { enum: ['form'] } } });
		expect(shown(schema).properties).not.toHaveProperty('free');
		expect(shown(schema, 'output')).toEqual({
			type: 'object',
			properties: {
				a: { anyOf: [{ type: 'string' }, { type: 'null' }] },
				by: {
					anyOf: [
						{ type: 'object', properties: { user: { type: 'string' } }, required: ['user'] },
						{ type: 'string', enum: ['form'] },
					],
				},
			},
			required: ['a', 'by'],
		});
	});
});
