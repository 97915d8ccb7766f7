import type { Random } from './random.ts';

/** Text that breaks code which trusts its input. */
const ODD_TEXTS = [
	'',
	' ',
	'\u0000',
	'a\u0000b',
	'\ud800',
	'\udc00\ud800',
	'\u202e\u2066',
	'\ufeff',
	'\r\nSet-Cookie: a=b',
	'👩‍👩‍👧‍👦'.repeat(40),
	'e\u0301'.repeat(200),
	"'; drop table accounts; --",
	'${7*7}{{7*7}}',
	'<script>alert(1)</script>',
	'../../../etc/passwd',
	'%s%n%x',
	'__proto__',
	'constructor',
	'null',
	'NaN',
	'1e309',
	'x'.repeat(300),
	'x'.repeat(5_000),
	'🚀'.repeat(1_100),
];

const ODD_NUMBERS = [
	0,
	-0,
	-1,
	1,
	0.1,
	-0.5,
	255,
	256,
	2_147_483_647,
	2_147_483_648,
	4_294_967_296,
	Number.MAX_SAFE_INTEGER,
	Number.MAX_SAFE_INTEGER + 1,
	-Number.MAX_SAFE_INTEGER,
	Number.MAX_VALUE,
	Number.MIN_VALUE,
	1e21,
	-1e308,
];

export const ODD_NAMES = [
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'hasOwnProperty',
	'',
	' ',
	'surprise',
	'$where',
	'a.b',
	'a[0]',
	'\u0000',
	'🚀',
];

function deep(levels: number): unknown {
	let value: unknown = 1;
	for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
	return value;
}

/** Values of any type, none of them expected. */
export function oddValue(random: Random): unknown {
	switch (random.whole(0, 8)) {
		case 0:
			return null;
		case 1:
			return random.chance(0.5);
		case 2:
		case 3:
			return random.pick(ODD_NUMBERS);
		case 4:
		case 5:
			return random.pick(ODD_TEXTS);
		case 6:
			return random.pick<unknown>([[], {}, [[]], [null], { a: undefined }, Array(1_001).fill(0)]);
		case 7:
			return deep(random.pick([3, 33, 200, 2_000]));
		default:
			return withName(
				{},
				random.pick(ODD_NAMES),
				random.pick<unknown>([{}, 1, { polluted: true }]),
			);
	}
}

/** Sets an own property, even for the name `__proto__`. */
export function withName(object: object, name: string, value: unknown): object {
	return Object.defineProperty(object, name, {
		value,
		enumerable: true,
		writable: true,
		configurable: true,
	});
}
