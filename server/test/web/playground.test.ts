import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { playgroundRequest } from '../../src/contract/console/playground.ts';
import {
	type Field,
	isShown,
	readFields,
	type Values,
} from '../../web/console/playground/fields.ts';
import { placeIssues, toLabeled } from '../../web/console/playground/issues.ts';
import { toResult } from '../../web/console/playground/result-words.ts';
import { REQUESTS, toBody, toValues } from '../../web/console/playground/requests.ts';
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
			if (path === 'deadline.after_seconds') return 60;
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
			return /(^|^push\.|^link\.|^callback\.)(icon|media|redirection|url)$/.test(path)
				? url
				: 'words';
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
		if (name === 'question') {
			// A question cannot have these beside the others.
			delete values['answerable_by'];
			delete values['deadline.at'];
		}
		const body = toBody(form, list, values);
		const key = form.name === 'repeated_stop' ? 'r'.repeat(32) : form.key?.example;
		const request = { request: name, ...(form.key && { key }), body };
		expect(playgroundRequest.safeParse(request)).toMatchObject({ success: true });
		for (const { path } of list.filter((field) => isShown(field, values)))
			if (path in values) expect(at(body, path)).toBeDefined();
		expect(toBody(form, list, toValues(list, body))).toEqual(body);
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

describe('what is wrong', () => {
	it('is placed at its field, at the column of its row, or nowhere', () => {
		const issue = (path: string) => ({ path, message: 'is wrong' });
		const { placed, rest } = placeIssues(fields['start']!, [
			issue('content_state.title'),
			issue('content_state.icon'),
			issue('action.url'),
			issue('key'),
		]);
		expect(Object.fromEntries(placed)).toEqual({
			'content_state.title': [issue('')],
			'content_state.icon.symbol': [issue('')],
			action: [issue('.url')],
		});
		expect(rest).toEqual([issue('key')]);
		expect(placeIssues(fields['push']!, [issue('actions[1].url')]).placed.get('actions')).toEqual([
			issue('[1].url'),
		]);
	});

	it('is said with the labels of the form', () => {
		expect(
			toLabeled([
				{ path: 'content_state.title', message: 'is required' },
				{ path: 'actions[0].url', message: 'must be an https URL' },
			]),
		).toBe('Title is required. URL must be an https URL.');
	});
});

it.each([
	[{ devices_notified: 1 }, 'Sent to 1 phone'],
	[{ operation: 'rotated', devices_notified: 2 }, 'Restarted on 2 phones'],
	[{ operation: 'noop', devices_notified: 0 }, 'Nothing had changed'],
	[{}, 'Done'],
])('an answer with %j is told in a line', (answer, words) => {
	expect(toResult(answer)).toBe(words);
});
