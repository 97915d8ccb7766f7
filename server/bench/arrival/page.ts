import type { Delivery } from '../../src/contract/device.ts';
import { deviceClient } from '../../web/device/device-client.ts';
import { startSession } from '../../web/device/session.ts';

interface Watched {
	/** The page shows a push; it does so once for each id. */
	onShown: (title: string, id: number) => void;
	/** The server has taken the page's acknowledgement. */
	onAcknowledged: (id: number) => void;
}

/**
 * Opens the phone page's own session, without a browser.
 * @param late milliseconds by which acknowledgements are late, as in a hidden tab
 * @returns closes it
 */
export function openPage(
	base: string,
	token: string,
	{ onShown, onAcknowledged }: Watched,
	late = 0,
): () => void {
	const client = deviceClient(async (path, init) => {
		const isReport = path === '/acknowledge';
		if (isReport && late > 0) await new Promise((resolve) => setTimeout(resolve, late));
		const headers = {
			...(init.headers as Record<string, string>),
			authorization: `Bearer ${token}`,
		};
		// A late acknowledgement is still sent.
		const { signal, ...others } = init;
		const sent = isReport && late > 0 ? others : init;
		const response = await fetch(`${base}/device${path}`, { ...sent, headers });
		if (isReport && response.ok) {
			const { deliveries } = JSON.parse(init.body as string) as { deliveries: number[] };
			deliveries.forEach(onAcknowledged);
		}
		return response;
	});
	const show = (delivery: Pick<Delivery, 'id'> & { push?: { title: string } }) => {
		if (delivery.push) onShown(delivery.push.title, delivery.id);
	};
	const nothing = () => undefined;
	return startSession(client, {
		onSnapshot: ({ notifications }) => notifications.forEach(show),
		onDelivery: (delivery) => delivery.kind === 'push' && show(delivery),
		onConnection: nothing,
		onDisconnected: nothing,
		onMetric: nothing,
		onShown: nothing,
		onWake: () => nothing,
	});
}
