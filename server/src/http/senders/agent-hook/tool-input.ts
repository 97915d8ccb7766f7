/** Fields with what is run or changed come first, in this order; the others follow by name. */
const FIRST = [
	'command',
	'plan',
	'file_path',
	'notebook_path',
	'path',
	'url',
	'old_string',
	'new_string',
];

/**
 * Characters that nobody sees, or that change how their neighbors look: controls, text directions, other invisible
 * characters and blanks, combining marks without a letter or stacked on others; and the brackets of this notation.
 */
const UNSEEN =
	/^\p{M}|(?<=\p{M}{2})\p{M}|(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u2D7F\uFFFC\u{1107F}\u{16FE4}\u{1D159}\u{13441}\u{13442}⟨⟩]/gu;

/** Spaces at the end of a line, and those that would push the rest out of sight. */
const SPACES = / {17,}| +$/g;

/** Tabs that indent a line are visible. */
const INDENT = /^\t{0,16}/;

function byCodePoint(character: string): string {
	const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
	return `⟨U+${code}⟩`;
}

/** A text on one line in which everything can be seen: ⟨U+202E⟩ stands for an invisible character. */
export function toVisible(text: string): string {
	const [indent = ''] = INDENT.exec(text) ?? [];
	const rest = text
		.slice(indent.length)
		.replace(UNSEEN, byCodePoint)
		.replace(SPACES, (run) => byCodePoint(run).repeat(run.length))
		.replace(
			/(⟨U\+(\w+)⟩)\1+/g,
			(run: string, sign: string, code: string) => `⟨${run.length / sign.length} × U+${code}⟩`,
		);
	return indent + rest;
}

/** The lines of a text; several blank ones in a row are counted. */
function toLines(text: string): string[] {
	const lines: string[] = [];
	let blank = 0;
	const endRun = () => {
		if (blank > 0) lines.push(blank === 1 ? '' : `⟨${blank} blank lines⟩`);
		blank = 0;
	};
	for (const line of text.split('\n')) {
		if (/^[ \t]*$/.test(line)) blank += 1;
		else {
			endRun();
			lines.push(toVisible(line));
		}
	}
	endRun();
	return lines;
}

/** A text after its label; each further line has a mark, so that none can pass for another label. */
export function toBlock(label: string, text: string): string {
	const [first = '', ...more] = toLines(text);
	return [`${label}${first}`.trimEnd(), ...more.map((line) => `│ ${line}`.trimEnd())].join('\n');
}

function toField([name, value]: [string, unknown]): string {
	const label = /^[\w.-]+$/.test(name) ? name : toVisible(JSON.stringify(name));
	return toBlock(`${label}: `, typeof value === 'string' ? value : JSON.stringify(value));
}

const rank = (name: string) => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);

/**
 * What an agent wants to do, for the person who allows it: whole, each field once, and nothing in it can look like
 * something else.
 */
export function toolInputText(input: Record<string, unknown>): string {
	return Object.entries(input)
		.sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
		.map(toField)
		.join('\n');
}
