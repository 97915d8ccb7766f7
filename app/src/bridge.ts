import type { RawAnswer } from './session.ts';

/** The calls of the page, which the app makes for it: a page in a file may not call a server. */
export interface Bridge {
	/** A call of the device protocol, below /device. */
	call: (path: string, method: string, body: string | null) => Promise<RawAnswer>;
	/** Opens the event stream. @returns its number */
	openEvents: (path: string) => Promise<{ status: number; id: number }>;
	/** The next part of an event stream; null at its end. */
	nextEvents: (id: number) => Promise<string | null>;
	closeEvents: (id: number) => Promise<void>;
	/** What the page has stored under a key. */
	load: (key: string) => Promise<string | null>;
	save: (key: string, text: string | null) => Promise<void>;
}

const EVENTS = '/events';

/** A `fetch` for the page's own modules, through the bridge. @throws TypeError as `fetch`, if nothing was reached */
export function bridgedFetch({ call, openEvents, nextEvents, closeEvents }: Bridge): typeof fetch {
	return async (input, init = {}) => {
		const path = String(input).replace(/^.*?\/device/, '');
		if (!path.startsWith(EVENTS)) {
			const { status, body } = await call(path, init.method ?? 'GET', (init.body ?? null) as never);
			if (status === 0) throw new TypeError('The server was not reached');
			return new Response(body, { status });
		}
		const { status, id } = await openEvents(path);
		if (status === 0) throw new TypeError('The server was not reached');
		init.signal?.addEventListener('abort', () => void closeEvents(id));
		const encoder = new TextEncoder();
		const events = new ReadableStream<Uint8Array<ArrayBuffer>>({
			async pull(controller) {
				const text = await nextEvents(id);
				if (text === null) controller.close();
				else controller.enqueue(encoder.encode(text));
			},
			cancel: () => closeEvents(id),
		});
		return new Response(events, { status });
	};
}
