import { sendPush } from '../../src/service/sending/pushes.ts';
import type { OutgoingDelivery } from '../../src/store/outbox/deliveries.ts';
import { tokenOf } from './bare.ts';
import type { BenchServer } from './bench-server.ts';
import type { Services, Subscription } from './services.ts';

export const DEVICES = 10_000;
/** The first rounds open connections and compile code; they do not count. */
export const WARM_UP = 5;
export const ROUNDS = 15;

export const PUSH = {
	title: 'New order',
	message: 'Two loaves',
	interruption_level: 'active' as const,
	sound: 'default',
};

/** One way to send to all devices, and its pushes per second. */
export interface Rate {
	way: string;
	perSecond: number;
	ofBare: number;
	/** True if the aim applies to this one. */
	aim: boolean;
}

export interface Way {
	name: string;
	measure: () => Promise<number>;
	aim?: boolean;
	/** True for the way the others are compared with. */
	isBare?: boolean;
}

const median = (values: readonly number[]) =>
	[...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** Takes turns, so other work on the machine affects all ways alike. */
export async function compare(ways: readonly Way[]): Promise<Rate[]> {
	const rates = new Map<Way, number[]>(ways.map((way) => [way, []]));
	for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
		for (const [way, measured] of rates) {
			const perSecond = await way.measure();
			if (round >= WARM_UP) measured.push(perSecond);
		}
	}
	const bare = median([...rates].find(([{ isBare }]) => isBare)?.[1] ?? []);
	return [...rates].map(([{ name, aim = false }, measured]) => {
		const perSecond = median(measured);
		return { way: name, perSecond, ofBare: perSecond / bare, aim };
	});
}

/** The push from the service's own function on: HTTP and validation are needed only once for all devices. */
export const wholeWay = (services: Services, server: BenchServer): Way => ({
	name: 'request, store, outbox, gateway',
	measure: () => services.rate(DEVICES, () => sendPush(server.context, server.caller, PUSH)),
	aim: true,
});

const MESSAGE: OutgoingDelivery['message'] = {
	id: 1,
	account_id: 'acc',
	history_id: 'his_1',
	kind: 'push',
	content_json: JSON.stringify(PUSH),
	lane: null,
	created_at: Date.now(),
	expires_at: null,
};

/** A delivery as the outbox passes it to a gateway. */
export function deliveryTo(index: number, subscription?: Subscription): OutgoingDelivery {
	return {
		id: index + 1,
		attempts: 0,
		leasedUntil: Infinity,
		message: MESSAGE,
		device: {
			id: `dev-${index}`,
			platform: subscription ? 'web' : 'ios',
			user_id: `user-${index}`,
			push_token: tokenOf(index),
			push_to_start_token: null,
			push_environment: 'production',
			push_subscription_json: subscription ? JSON.stringify(subscription) : null,
			badge: 0,
			quiet_json: null,
			failed_at: null,
			app_json: null,
		},
		isMuted: false,
		isHeld: false,
	};
}
