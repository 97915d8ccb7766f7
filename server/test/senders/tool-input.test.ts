import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { toolInputText } from '../../src/http/senders/agent-hook/tool-input.ts';

/** Everything in a shown text that a person cannot see; each line may begin with tabs. */
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]/u;
const unseenIn = (text: string) =>
	text
		.split('\n')
		.filter((line) =>
			UNSEEN.test(line.replace(/^(│ |(?:"(?:[^"\\]|\\.)*"|[^:]+): )?\t{0,16}/u, '$1')),
		);

/** White space alone on a line is a blank line. */
const known = (value: string) =>
	value
		.split('\n')
		.map((line) => (/^[ \t]+$/.test(line) ? '' : line))
		.join('\n');

const inverted = (line: string) =>
	line.replaceAll(
		/⟨(?:(\d+) × )?U\+([0-9A-F]+)⟩/g,
		(_all, times: string | undefined, code: string) =>
			String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(times ?? 1)),
	);

/** Reads the text back: it must say everything, and in only one way. */
function fieldsIn(text: string): Array<[string, string]> {
	const fields: Array<[string, string[]]> = [];
	const add = (lines: string[], line: string) => {
		const [, count] = /^⟨(\d+) blank lines⟩$/.exec(line) ?? [];
		lines.push(...(count === undefined ? [inverted(line)] : Array<string>(Number(count)).fill('')));
	};
	for (const line of text.split('\n')) {
		const [, more] = /^│ ?(.*)$/u.exec(line) ?? [];
		const last = fields.at(-1)?.[1];
		if (more !== undefined && last) add(last, more);
		else {
			const [, name = '', first = ''] = /^("(?:[^"\\]|\\.)*"|[^:]+):(?: (.*))?$/u.exec(line) ?? [];
			const lines: string[] = [];
			add(lines, first);
			fields.push([name.startsWith('"') ? (JSON.parse(inverted(name)) as string) : name, lines]);
		}
	}
	return fields.map(([name, lines]) => [name, lines.join('\n')]);
}

const hostile = fc.oneof(
	fc.constantFrom(
		'\n',
		'\n\n\n',
		' ',
		'\t',
		'\r',
		'\u0000',
		'\u001B[2K',
		'\u202E',
		'\u2066',
		'\u200B',
	),
	fc.constantFrom(
		'\u2062',
		'\u{E0041}',
		'\uD800',
		'\u0085',
		'\u2028',
		'\u3164',
		'\u00A0',
		'\uFE0F',
		'\u2800',
	),
	fc.constantFrom(
		'│ ',
		'⟨U+0041⟩',
		'⟨3 blank lines⟩',
		'command: ls',
		'\ncommand: ls',
		' '.repeat(40),
	),
	fc.constantFrom('\u0301'.repeat(5), 'e\u0301', '"', '\\', '[x]: /a "', '```', '# ', '*'),
	fc.string({ unit: 'binary', maxLength: 8 }),
);
const value = fc.array(hostile, { maxLength: 12 }).map((parts) => parts.join(''));
const name = fc.oneof(fc.constantFrom('command', 'file_path', 'description', 'a'), value);
const input = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 5 });

describe('what an agent wants to do', () => {
	it('is shown so that it can be read back: whole, each field once', () => {
		fc.assert(
			fc.property(input, (fields) => {
				const shown = toolInputText(Object.fromEntries(fields));
				const expected = fields.map(([key, text]) => [key, known(text)]);
				expect(Object.fromEntries(shown === '' ? [] : fieldsIn(shown))).toEqual(
					Object.fromEntries(expected),
				);
				expect(unseenIn(shown)).toEqual([]);
			}),
			{ numRuns: 500 },
		);
	});

	it('does not depend on the order that the agent chose', () => {
		fc.assert(
			fc.property(input, (fields) => {
				expect(toolInputText(Object.fromEntries(fields.toReversed()))).toBe(
					toolInputText(Object.fromEntries(fields)),
				);
			}),
		);
	});

	it.each([
		[
			'the command first, and a value that imitates it is marked',
			{ description: 'List files\ncommand: ls -la', command: 'rm -rf ~' },
			'command: rm -rf ~\ndescription: List files\n│ command: ls -la',
		],
		[
			'the file, the old and the new text before the rest',
			{ replace_all: false, new_string: 'b', old_string: 'a', file_path: '/etc/hosts' },
			'file_path: /etc/hosts\nold_string: a\nnew_string: b\nreplace_all: false',
		],
		[
			'a name that is no name as text',
			{ 'a\ncommand': { x: ['\u202E'] } },
			'"a\\ncommand": {"x":["⟨U+202E⟩"]}',
		],
		[
			'empty lines as their number',
			{ command: `ls${'\n'.repeat(300)}rm -rf ~` },
			'command: ls\n│ ⟨299 blank lines⟩\n│ rm -rf ~',
		],
		[
			'lines of blanks like empty ones',
			{ command: 'ls\n \n\t\n \nid' },
			'command: ls\n│ ⟨3 blank lines⟩\n│ id',
		],
		['one empty line as it is', { command: 'a\n\nb' }, 'command: a\n│\n│ b'],
		[
			'many spaces as their number',
			{ command: `ls${' '.repeat(90)}; id` },
			'command: ls⟨90 × U+0020⟩; id',
		],
		['spaces at the end', { file_path: '/tmp/a ' }, 'file_path: /tmp/a⟨U+0020⟩'],
		['an indentation', { content: 'if x {\n\t\ty\n}\n' }, 'content: if x {\n│ \t\ty\n│ }\n│'],
		['another tab by its code point', { command: 'a\tb' }, 'command: a⟨U+0009⟩b'],
		['its own notation by code points', { command: '⟨U+0041⟩' }, 'command: ⟨U+27E8⟩U+0041⟨U+27E9⟩'],
		[
			'marks that would cover others',
			{ command: 'x\u0301\u0301\u0301' },
			'command: x\u0301\u0301⟨U+0301⟩',
		],
		['nothing', {}, ''],
	])('has %s', (_what, fields, shown) => {
		expect(toolInputText(fields)).toBe(shown);
	});
});
