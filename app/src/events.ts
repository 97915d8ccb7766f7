import { DeviceError } from '../../server/web/device/device-client.ts';
import type { Bridge } from './bridge.ts';
import type { Session } from './session.ts';

interface OpenStream {
	reader: ReadableStreamDefaultReader<Uint8Array>;
	/** Its own: a stream may end within a letter. */
	decoder: TextDecoder;
	stop: AbortController;
}

/** The native side of the bridge. */
export function openBridge(session: Session): Bridge {
	const open = new Map<number, OpenStream>();
	let opened = 0;
	return {
		async call(path, init) {
			try {
				const response = await session.fetch(path, init);
				return { status: response.status, body: await response.text() };
			} catch (error) {
				if (!(error instanceof DeviceError)) throw error;
				return { status: error.status, body: JSON.stringify({ message: error.message }) };
			}
		},
		async openEvents(path) {
			const stop = new AbortController();
			const headers = { accept: 'text/event-stream' };
			try {
				const { status, body } = await session.fetch(path, { headers, signal: stop.signal });
				opened += 1;
				if (body) open.set(opened, { reader: body.getReader(), decoder: new TextDecoder(), stop });
				return { status, id: opened };
			} catch (error) {
				return { status: error instanceof DeviceError ? error.status : 0, id: 0 };
			}
		},
		async nextEvents(id) {
			const stream = open.get(id);
			try {
				const { value } = (await stream?.reader.read()) ?? {};
				return value ? stream!.decoder.decode(value, { stream: true }) : null;
			} catch {
				// The page reconnects.
				return null;
			}
		},
		async closeEvents(id) {
			open.get(id)?.stop.abort();
			open.delete(id);
		},
		load: (key) => session.pageText(key),
		save: (key, text) => session.keepForPage(key, text),
	};
}
