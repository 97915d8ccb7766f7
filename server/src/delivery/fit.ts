/** Shrinks one part of a payload, no further than it needs to fit. */
export type Step = (fits: () => boolean) => void;

/** Bytes of the value as JSON in UTF-8. */
const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/**
 * The payload as JSON of at most `maxBytes`. A larger one is shrunk in place: the `steps` run in order, each only
 * if those before it were not enough.
 * @param part the part of the payload where `truncated` then tells the phone that its inbox has the full content
 */
export function truncateToFit(
	payload: object,
	maxBytes: number,
	part: { truncated?: unknown },
	steps: () => readonly Step[],
): string {
	const whole = JSON.stringify(payload);
	if (Buffer.byteLength(whole) <= maxBytes) return whole;
	part.truncated = true;
	const fits = () => jsonBytes(payload) <= maxBytes;
	for (const step of steps()) {
		if (!fits()) step(fits);
	}
	return JSON.stringify(payload);
}

type Fields = Record<string, unknown>;

/**
 * Truncates a text between two characters, and marks the cut with an ellipsis. If nothing is left, the field is
 * removed, unless it is `kept`.
 */
export function cutText(of: object | undefined, name: string, { kept = false } = {}): Step {
	return (fits) => {
		const fields = of as Fields | undefined;
		const text = fields?.[name];
		if (!fields || typeof text !== 'string') return;
		const characters = Array.from(text);
		// An ellipsis takes more bytes than most characters.
		if (kept && characters.length < 2) return;
		let [least, most] = [0, characters.length - 1];
		// The most characters that fit.
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

/** Removes entries from the end of a list; an empty list stays. */
function cutList(of: object | undefined, name: string): Step {
	return (fits) => {
		const list = (of as Fields | undefined)?.[name];
		if (!Array.isArray(list)) return;
		while (list.length > 0 && !fits()) list.pop();
	};
}

/** Removes fields one by one. */
export function drop(of: object | undefined, ...names: string[]): Step {
	return (fits) => {
		for (const name of names) {
			if (of === undefined || fits()) return;
			Reflect.deleteProperty(of, name);
		}
	};
}

/** Shrinks the question that a push asks, the least important first; the choices come last. */
export function stepsOfQuestion(push: object): Step[] {
	const { question } = push as { question?: object };
	return [drop(question, 'answerable_by', 'answer', 'link', 'text'), drop(push, 'question')];
}

/**
 * Shrinks what a phone shows of a Live Activity, the least important first.
 * @param buttons the object that has its buttons and their answer
 */
export function stepsOfActivity(state: object, alert: object | undefined, buttons: object = state) {
	return [
		cutText(state, 'message', { kept: true }),
		cutText(alert, 'body', { kept: true }),
		cutList(state, 'metrics'),
		drop(state, 'step_colors'),
		cutText(state, 'subtitle'),
		drop(buttons, 'answer', 'secondary_action', 'action'),
		drop(state, 'badge', 'icon'),
		cutText(alert, 'title', { kept: true }),
		cutText(state, 'title', { kept: true }),
	];
}
