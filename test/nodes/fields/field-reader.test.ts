import { FieldReader } from '../../../nodes/shared/fields/field-reader.ts';
import type { InvalidRequest } from '../../../nodes/shared/fields/issues.ts';
import { within } from '../../../nodes/shared/fields/rules.ts';

function readerOf(parameters: Record<string, unknown>, timezone = 'Europe/Berlin') {
	return new FieldReader({ valueOf: (parameter) => parameters[parameter], timezone });
}

function issuesOf(read: FieldReader): string[] {
	try {
		read.assertValid();
		return [];
	} catch (error) {
		return (error as InvalidRequest).issues.map(({ path, message }) => `${path} ${message}`);
	}
}

test.each([undefined, null, '', '   '])('%j counts as left empty', (value) => {
	const read = readerOf({ field: value });

	expect([
		read.text('a', 'field'),
		read.number('a', 'field'),
		read.flag('a', 'field'),
		read.object('a', 'field'),
		read.list('a', 'field', { entry: () => 'never asked' }),
		read.instant('a', 'field'),
	]).toEqual(Array(6).fill(undefined));
	expect(issuesOf(read)).toEqual([]);
});

test('numbers may be texts, and must be finite', () => {
	const read = readerOf({ text: ' 4.5 ', number: 0, words: 'four', endless: Infinity, none: NaN });

	expect(read.number('a', 'text')).toBe(4.5);
	expect(read.number('b', 'number')).toBe(0);
	read.number('c', 'words');
	read.number('d', 'endless');
	read.number('e', 'none');
	expect(issuesOf(read)).toEqual([
		'c must be a number',
		'd must be a finite number, not Infinity',
		'e must be a finite number, not NaN',
	]);
});

test('a list has texts, and no objects', () => {
	const read = readerOf({ object: { a: 1 }, inside: ['a', { b: 2 }] });

	for (const name of ['object', 'inside']) read.list(name, name, {});
	expect(issuesOf(read)).toEqual([
		'object must be a list of texts, but has an object: choose one of its fields (a)',
		'inside must be a list of texts, but has an object: choose one of its fields (b)',
	]);
});

test.each<[unknown, string]>([
	[42, '42'],
	[true, 'true'],
	[10n, '10'],
	[new Date('2026-01-31T09:30:00Z'), '2026-01-31T09:30:00.000Z'],
	[{ toISO: () => '2026-01-31T10:30:00.000+01:00' }, '2026-01-31T10:30:00.000+01:00'],
])('%s is taken as its text', (value, text) => {
	const read = readerOf({ value });

	expect(read.text('a', 'value')).toBe(text);
	expect(issuesOf(read)).toEqual([]);
});

test('what has no text of its own is refused with a hint at its parts', () => {
	const order = { id: 1, total: 42, customer: 'Ada', lines: [], shop: 'x', paid: true };
	const read = readerOf({ order, names: ['Ada', 'Zoë'], nothing: {}, never: new Date('never') });

	for (const name of ['order', 'names', 'nothing', 'never']) read.text(name, name);

	expect(issuesOf(read)).toEqual([
		'order must be text, but this is an object: choose one of its fields (id, total, customer, lines, shop, …)',
		'names must be text, but this is a list: join its entries, like {{ $json.names.join(", ") }}',
		'nothing must be text, but this is an object without fields',
		'never must be text, but this is an object without fields',
	]);
});

test.each<[unknown, number | string]>([
	[42, 42],
	['42', 42],
	['42\n', 42],
	[' -0.5 ', -0.5],
	['007', '007'],
	['1.10', '1.10'],
	['1.10\n', '1.10'],
	['3 of 5', '3 of 5'],
	[' up ', 'up'],
	['0x10', '0x10'],
])('what may be both, %j, is read as %j', (value, read) => {
	const reader = readerOf({ value });

	expect(reader.numberOrText('value', 'value')).toBe(read);
	expect(issuesOf(reader)).toEqual([]);
});

test('true and false may be texts', () => {
	const read = readerOf({ yes: 'true', no: false, maybe: 'maybe' });

	expect([read.flag('a', 'yes'), read.flag('b', 'no')]).toEqual([true, false]);
	read.flag('c', 'maybe');
	expect(issuesOf(read)).toEqual(['c must be true or false']);
});

test('objects may be JSON, and nothing else', () => {
	const read = readerOf({
		json: '{"a":1}',
		object: { b: 2 },
		empty: '{}',
		list: '[1]',
		broken: '{a',
	});

	expect(read.object('a', 'json')).toEqual({ a: 1 });
	expect(read.object('b', 'object')).toEqual({ b: 2 });
	expect(read.object('c', 'empty')).toBeUndefined();
	read.object('d', 'list');
	read.object('e', 'broken');
	expect(issuesOf(read)).toHaveLength(2);
});

test('a time without an offset is one of the workflow', () => {
	const read = readerOf({
		local: '2026-01-31T10:30:00',
		summer: '2026-07-01 10:30',
		wrong: 'soon',
	});

	expect(read.instant('a', 'local')).toBe('2026-01-31T10:30:00.000+01:00');
	expect(read.instant('b', 'summer')).toBe('2026-07-01T10:30:00.000+02:00');
	read.instant('c', 'wrong');
	expect(issuesOf(read)).toEqual(['c must be a date and time, like 2026-01-31T09:30:00Z']);
});

test('rows have paths of their own, and all mistakes are reported together', () => {
	const read = readerOf({ rows: [{ value: 1 }, { value: 11 }], alone: { value: 12 } });
	const inside = read.inside('state');

	for (const row of inside.rows('list', 'rows'))
		row.number('value', 'value', within({ minValue: 0, maxValue: 10 }));
	inside.row('only', 'alone')?.number('value', 'value', within({ minValue: 0, maxValue: 10 }));
	expect(inside.rows('none', 'missing')).toEqual([]);

	expect(() => {
		read.assertValid();
	}).toThrow(
		'state.list[1].value must be between 0 and 10. state.only.value must be between 0 and 10.',
	);
});

test('a required field that is wrong is not missing too', () => {
	const read = readerOf({ badge: 'many' });

	read.required('badge', read.number('badge', 'badge'));
	read.required('title', read.text('title', 'title'));

	expect(issuesOf(read)).toEqual(['badge must be a number', 'title is required']);
});
