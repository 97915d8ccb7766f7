/** Makes one part of a payload smaller, no further than until it fits. */
export type Step = (fits: () => boolean) => void;

/** Bytes of the value as JSON in UTF-8. */
const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/**
 * The payload as JSON of at most `maxBytes`. Where it is larger it is made smaller, in place: `mark`
 * says so in the payload, then the `steps` in their order, each only where those before it were not
 * enough.
 */
export function fitted(
	payload: object,
	maxBytes: number,
	mark: () => void,
	steps: () => readonly Step[],
): string {
	const whole = JSON.stringify(payload);
	if (Buffer.byteLength(whole) <= maxBytes) return whole;
	mark();
	const fits = () => jsonBytes(payload) <= maxBytes;
	for (const step of steps()) {
		if (!fits()) step(fits);
	}
	return JSON.stringify(payload);
}

type Fields = Record<string, unknown>;

/**
 * Cuts the end off a text, between two characters, and marks the cut by an ellipsis. A text of
 * which nothing is left is taken out, unless it is `kept`.
 */
export function cutText(of: object | undefined, name: string, { kept = false } = {}): Step {
	return (fits) => {
		const fields = of as Fields | undefined;
		const text = fields?.[name];
		if (!fields || typeof text !== 'string') return;
		const characters = Array.from(text);
		let [least, most] = [0, characters.length - 1];
		// The largest number of characters with which it fits.
		while (least < most) {
			const middle = Math.ceil((least + most) / 2);
			fields[name] = `${characters.slice(0, middle).join('')}…`;
			if (fits()) least = middle;
			else most = middle - 1;
		}
		fields[name] = `${characters.slice(0, least).join('').trimEnd()}…`;
		if (least <= 0 && !kept) Reflect.deleteProperty(fields, name);
	};
}

/** Takes entries off the end of a list; an empty one is left. */
export function cutList(of: object | undefined, name: string): Step {
	return (fits) => {
		const list = (of as Fields | undefined)?.[name];
		if (!Array.isArray(list)) return;
		while (list.length > 0 && !fits()) list.pop();
	};
}

/** Takes fields out, one by one. */
export function drop(of: object | undefined, ...names: string[]): Step {
	return (fits) => {
		for (const name of names) {
			if (of === undefined || fits()) return;
			Reflect.deleteProperty(of, name);
		}
	};
}
