import type { Context } from '../../service/context.ts';
import { Refusal } from '../../service/refusal.ts';
import type { TypedApp } from '../typed-app.ts';
import type { KeyIn } from '../gate.ts';

/** What ntfy's servers count for a client. Beckon does not: its account has zeros. */
const COUNTED = ['messages', 'emails', 'calls', 'reservations', 'attachment_total_size'];

const ACCOUNT = {
	username: 'beckon',
	role: 'user',
	stats: Object.fromEntries(
		COUNTED.flatMap((name) => [
			[name, 0],
			[`${name}_remaining`, 0],
		]),
	),
};

/**
 * The account calls that Home Assistant's ntfy integration makes when it is set up: who it is, a token to use from then on
 * (the key that it already has), and whether it may subscribe to a topic.
 */
export function registerAccount(app: TypedApp, { now }: Context, keyIn: KeyIn): void {
	app.get('/ntfy/v1/account', () => ACCOUNT);
	app.post('/ntfy/v1/account/token', (request) => ({
		token: keyIn(request),
		last_access: Math.floor(now() / 1_000),
		expires: 0,
	}));
	app.get('/ntfy/:topic/auth', () => {
		throw new Refusal(
			'forbidden',
			'Not supported',
			'Beckon delivers only to phones, so nothing can subscribe to a topic. Disable the topic’s event entity.',
		);
	});
}
