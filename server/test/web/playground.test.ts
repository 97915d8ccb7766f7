import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { playgroundRequest } from '../../src/contract/console/playground.ts';
import {
	type Field,
	isShown,
	readFields,
	type Values,
} from '../../web/console/playground/fields.ts';
import { REQUESTS, toBody } from '../../web/console/playground/requests.ts';
import { readOpenApi } from '../support/openapi.ts';
import { startTestServer } from '../support/server.ts';
import { ACTIVITY_TYPES } from '../../src/contract/content-state.ts';

let fields: Record<string, Field[]>;

beforeAll(async () => {
	const server = await startTestServer();
	const document = await readOpenApi(server.app);
	await server.close();
	fields = Object.fromEntries(
		REQUESTS.map(({ name, method, path }) => [name, readFields(document, method, path)]),
	);
});

interface Json {
	[key: string]: any;
}

/** The paths of everything a schema takes, without an index inside arrays. */
function pathsOf(node: Json, path: string, defs: Json): string[] {
	if (node['$ref']) return pathsOf(defs[node['$ref'].split('/').at(-1)], path, defs);
	const inner = [...(node['anyOf'] ?? []), ...(node['oneOf'] ?? [])];
	const inside = [
		...inner.filter(isStructured(defs)),
		...(node['items'] && isStructured(defs)(node['items']) ? [node['items']] : []),
	].flatMap((part) => pathsOf(part, path, defs));
	if (inside.length > 0) return inside;
	if (!node['properties']) return [path];
	return Object.entries<Json>(node['properties']).flatMap(([name, field]) =>
		pathsOf(field, path === '' ? name : `${path}.${name}`, defs),
	);
}

const isStructured =
	(defs: Json) =>
	(node: Json): boolean => {
		if (node['$ref']) return isStructured(defs)(defs[node['$ref'].split('/').at(-1)]);
		return [node, ...(node['anyOf'] ?? []), ...(node['oneOf'] ?? [])].some((n) => n['properties']);
	};

/** The paths of a contract's schema, straight from zod. */
function contractPaths(name: string): string[] {
	const option = playgroundRequest.options.find(({ shape }) => shape.request.value === name);
	const schema = z.toJSONSchema(option!.shape.body, {
		io: 'input',
		unrepresentable: 'any',
	}) as Json;
	return [...new Set(pathsOf(schema, '', schema['$defs'] ?? {}))].sort();
}

const formPaths = (list: readonly Field[]): string[] =>
	list
		.flatMap(({ path, columns }) =>
			columns.length > 0 ? columns.map((column) => `${path}.${column.path}`) : [path],
		)
		.sort();

/** A value that the server accepts for the field. */
function typed({ path, kind, options, columns }: Field, choice: string): unknown {
	const url = path.endsWith('redirection') ? 'myapp://open/7' : 'https://example.com/a.png';
	switch (kind) {
		case 'number':
			return path.endsWith('current_step') ? 2 : 3;
		case 'number_or_text':
			return '12.5';
		case 'boolean':
			return 'true';
		case 'select':
			return options.includes(choice) ? choice : options.at(-1);
		case 'list':
			return [options[0], options[0]];
		case 'tags':
			return ['a', 'b'];
		case 'channels':
			return ['ops'];
		case 'json':
			return '{"order": 42}';
		case 'rows': {
			const row = Object.fromEntries(columns.map((one) => [one.path, typed(one, 'webhook')]));
			return [row];
		}
		default:
			if (path === 'timestamp') return '2026-01-31T09:30:00Z';
			return /(^|^push\.)(icon|media|redirection|url)$/.test(path) ? url : 'words';
	}
}

describe.each(REQUESTS.map(({ name }) => name))('the form of %s', (name) => {
	const form = REQUESTS.find((one) => one.name === name)!;

	it('has every field that the contract takes, and no other', () => {
		expect(formPaths(fields[name]!)).toEqual(contractPaths(name));
	});

	it('has words for each of them', () => {
		for (const field of fields[name]!) {
			expect(field.label).toMatch(/^[A-Z]/);
			expect([field.path, field.hint]).toEqual([field.path, expect.stringMatching(/\.$/)]);
		}
	});

	it.each(ACTIVITY_TYPES)('makes a body of all of them that the server takes, as %s', (type) => {
		const list = fields[name]!.filter(({ path }) => !path.endsWith('media'));
		const values: Values = Object.fromEntries(
			list.map((field) => [field.path, typed(field, type)]),
		);
		if (['timer', 'metrics', 'stats'].includes(type) && name === 'start')
			delete values['secondary_action'];
		const body = toBody(form, list, values);
		const key = form.name === 'repeated_stop' ? 'r'.repeat(32) : form.key?.example;
		const request = { request: name, ...(form.key && { key }), body };
		expect(playgroundRequest.safeParse(request)).toMatchObject({ success: true });
		for (const { path } of list.filter((field) => isShown(field, values)))
			if (path in values) expect(at(body, path)).toBeDefined();
	});
});

function at(body: Json, path: string): unknown {
	return path.split('.').reduce<any>((inner, name) => inner?.[name], body);
}

describe('what is typed', () => {
	const update = () => fields['update']!;
	const bodyFor = (values: Values) => toBody({ name: 'update' }, update(), values);

	it('offers the fields of the chosen type, and all of them while none is chosen', () => {
		const shown = (values: Values) =>
			update()
				.filter((field) => isShown(field, values))
				.map(({ path }) => path);
		expect(shown({ 'content_state.type': 'timer' })).not.toContain('content_state.percentage');
		expect(shown({ 'content_state.type': 'timer' })).toContain('content_state.is_running');
		expect(shown({})).toContain('content_state.percentage');
		expect(shown({})).toContain('content_state.is_running');
	});

	it('leaves out what is empty, and what does not belong to the type', () => {
		expect(
			bodyFor({
				activity_id: 'a',
				'content_state.type': 'timer',
				'content_state.title': '',
				'content_state.percentage': 4,
				'content_state.is_running': 'false',
			}),
		).toEqual({ activity_id: 'a', content_state: { type: 'timer', is_running: false } });
	});

	it('tells no tags from tags that are cleared', () => {
		expect(bodyFor({})).toEqual({ content_state: {} });
		expect(bodyFor({ tags: [] })).toEqual({ content_state: {}, tags: [] });
	});

	it('takes for a number what reads as one', () => {
		const value = (text: string) =>
			(bodyFor({ 'content_state.value': text })['content_state'] as Json)['value'];
		expect([value('42'), value('-0.5'), value('007'), value('3 of 5')]).toEqual([
			42,
			-0.5,
			'007',
			'3 of 5',
		]);
	});

	it('hides a webhook’s fields from a button that opens a URL', () => {
		const row = { title: 'Go', type: 'open_url', url: 'https://example.com', method: 'GET' };
		expect(bodyFor({ action: [row] })['action']).toEqual({
			title: 'Go',
			type: 'open_url',
			url: 'https://example.com',
		});
	});
});
