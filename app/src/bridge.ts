type Call = Pick<RequestInit, 'method' | 'headers' | 'body'>;

/** The calls of the page, which the app makes for it: a page in a file may not call a server. */
export interface Bridge {
	/** A call of the device protocol, below /device. */
	call: (path: string, init: Call) => Promise<{ status: number; body: string }>;
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
		const { method, headers, body } = init;
		const answer = path.startsWith(EVENTS)
			? await openEvents(path)
			: await call(path, { method, headers, body });
		const { status } = answer;
		if (status === 0) throw new TypeError('The server was not reached');
		if ('body' in answer) return new Response(answer.body, { status });
		const { id } = answer;
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
