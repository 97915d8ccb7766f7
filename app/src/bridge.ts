type Call = Pick<RequestInit, 'method' | 'headers' | 'body'>;

/** The calls of the page, which the app makes for it: a page in a file may not call a server. */
export interface Bridge {
	/** Sends a request to a path below /device. @returns the answer's number; status 0 if nothing was reached */
	send: (path: string, init: Call) => Promise<{ status: number; id: number }>;
	/** The next part of an answer, which may be an event stream; null at its end. */
	next: (id: number) => Promise<string | null>;
	close: (id: number) => Promise<void>;
	/** What the page has stored under a key. */
	load: (key: string) => Promise<string | null>;
	save: (key: string, text: string | null) => Promise<void>;
}

/** A `fetch` for the page's own modules, through the bridge. @throws TypeError as `fetch`, if nothing was reached */
export function bridgedFetch({ send, next, close }: Bridge): typeof fetch {
	return async (input, init = {}) => {
		const path = String(input).replace(/^.*?\/device/, '');
		const { method, headers, body } = init;
		const { status, id } = await send(path, { method, headers, body });
		if (status === 0) throw new TypeError('The server was not reached');
		init.signal?.addEventListener('abort', () => void close(id));
		const encoder = new TextEncoder();
		const answer = new ReadableStream<Uint8Array<ArrayBuffer>>({
			async pull(controller) {
				const text = await next(id);
				if (text === null) controller.close();
				else controller.enqueue(encoder.encode(text));
			},
			cancel: () => close(id),
		});
		return new Response(answer, { status });
	};
}
