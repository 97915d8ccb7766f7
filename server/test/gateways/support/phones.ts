import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { startTestServer, type TestPhone, type TestServer } from '../../support/server.ts';
import { waitFor } from '../../support/wait.ts';
import { ApnsStandIn } from './apns.ts';
import { PushService } from './push-service.ts';

export interface Bench {
	server: TestServer;
	apns: ApnsStandIn;
	pushService: PushService;
	/** The settings for APNs. */
	settings: Record<string, string>;
	close(): Promise<void>;
}

/** The server with a local APNs and a local push service, on one clock. */
export async function startBench(
	settings: Record<string, string> = {},
	logger?: Logger,
): Promise<Bench> {
	const directory = mkdtempSync(join(tmpdir(), 'beckon-gateways-'));
	let now = () => Date.now();
	const apns = new ApnsStandIn({ now: () => now() });
	const pushService = new PushService();
	pushService.now = () => now();
	await Promise.all([apns.listen(), pushService.listen()]);
	const apnsSettings = apns.settings(directory);
	const server = await startTestServer({
		settings: {
			BECKON_FIRST_ATTEMPT_MS: '2000',
			BECKON_WEBHOOK_ALLOW_PRIVATE: 'true',
			BECKON_WEB_PUSH_ALLOW_PRIVATE: 'true',
			...apnsSettings,
			...settings,
		},
		logger,
	});
	const close = async () => {
		await Promise.all([apns.close(), pushService.close()]);
		await server.close();
		rmSync(directory, { recursive: true });
	};
	try {
		// Read here, so a server without such a clock leaves out the test and not the file.
		const { clock } = server;
		now = () => clock.now;
	} catch (error) {
		await close();
		throw error;
	}
	return { server, apns, pushService, settings: apnsSettings, close };
}

let made = 0;
const hex = (name: string, n: number) => Buffer.from(`${name}${n}`).toString('hex');

export interface Iphone extends TestPhone {
	pushToken: string;
	startToken: string;
	widgetToken: string;
	/** The app reports its token for an activity. */
	registerActivity(activityId: string): Promise<string>;
}

/** An iPhone of the first account's owner that has registered its tokens. */
export async function pairIphone(server: TestServer, extra: object = {}): Promise<Iphone> {
	const n = (made += 1);
	const phone = await server.pairPhone({ platform: 'ios', name: `iPhone ${n}` });
	const tokens = {
		push_token: hex('push', n),
		push_to_start_token: hex('start', n),
		widget_token: hex('widget', n),
		...extra,
	};
	const { status, body } = await phone.call('PUT', '/tokens', tokens);
	if (status !== 200) throw new Error(`Tokens answered ${status}: ${JSON.stringify(body)}`);
	return {
		...phone,
		pushToken: tokens.push_token,
		startToken: tokens.push_to_start_token,
		widgetToken: tokens.widget_token,
		async registerActivity(activityId) {
			const token = hex(`a${(made += 1)}-`, n);
			await phone.call('PUT', `/activities/${activityId}/token`, { token });
			return token;
		},
	};
}

/** A browser that has subscribed and is closed. */
export async function pairBrowser({ server, pushService }: Bench): Promise<TestPhone> {
	const phone = await server.pairPhone();
	const answer = await phone.call('PUT', '/tokens', {
		push_subscription: pushService.subscribe(phone.id),
	});
	if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
	return phone;
}

/** Delivery states of a phone, oldest first, once no attempt is under way. */
export async function deliveriesOf({ server }: Bench, phone: TestPhone) {
	return waitFor('the outcomes to be recorded', async () => {
		const rows = await server.context.database.read
			.selectFrom('deliveries')
			.selectAll()
			.where('device_id', '=', phone.id)
			.orderBy('id')
			.execute();
		return rows.some(({ leased_until: lease }) => lease !== null) ? undefined : rows;
	});
}
