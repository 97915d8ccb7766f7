import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Config } from '../config.ts';
import { MAX_IMAGE_BYTES } from '../contract/images.ts';
import type { Gateways } from '../delivery/choose-gateway.ts';
import { DAY_MS, isDoneWithin, MINUTE_MS } from '../durations.ts';
import { findAccount } from '../service/accounts/accounts.ts';
import type { ActingContext } from '../service/audit.ts';
import { SESSION_COOKIE } from '../service/people/sessions.ts';
import { hashSecret, newToken } from '../service/secrets.ts';
import { anyMember, deleteSession, insertSession } from '../store/people/members.ts';
import { failedSince, pushOrigins } from '../store/phones/devices.ts';
import { callbacksGivenUpSince } from '../store/questions.ts';
import { lastBackup, requireFreeSpace } from '../watch.ts';
import { askApns } from './check.ts';
import { dataCommand, listing } from './commands.ts';
import { publicUrl } from './run.ts';

/** Milliseconds that an address has to respond. */
const RESPONSE_TIMEOUT_MS = 5_000;

/** A nightly backup may be half a day late. */
const MAX_BACKUP_AGE_MS = 1.5 * DAY_MS;

interface Subject {
	context: ActingContext;
	config: Config;
	gateways: Gateways;
	/** The public address. */
	url: string;
	/** How far the clocks of push services are ahead of ours, in milliseconds. */
	ahead: number[];
}

/** The reason a check does not apply, and what to do. */
class Skipped extends Error {}

/** What was found. Throws Skipped, or an Error with what is wrong, and what to do. */
type Check = (subject: Subject) => Promise<string> | string;

async function call(url: string, advice: string, request: RequestInit = {}): Promise<Response> {
	try {
		return await fetch(url, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS), ...request });
	} catch (error) {
		const { message, cause = message } = error as Error;
		throw new Error(`${url} was not reached: ${String(cause)}. ${advice}`, { cause: error });
	}
}

/** Opens the console's event stream as a member who is signed in for a minute. */
async function checkEventStream({ context, url }: Subject): Promise<string> {
	const { database, now } = context;
	const member = await anyMember(database.read);
	if (!member) throw new Skipped('Nobody can sign in yet: use `account setup-link`.');
	const token = newToken();
	const session = { token_hash: hashSecret(token), member_id: member.id, created_at: now() };
	const times = { last_used_at: now(), expires_at: now() + MINUTE_MS };
	await database.write(null, (db) => insertSession(db, { ...session, ...times }));
	const held = `The proxy buffers event streams: turn off its buffering (docs/proxies.md).`;
	try {
		const request = { headers: { cookie: `${SESSION_COOKIE}=${token}` } };
		const { ok, status, body } = await call(`${url}/console/api/events`, held, request);
		if (!ok) throw new Error(`${url} answers ${status}: it is a server with different data.`);
		const reader = body?.getReader();
		const isPrompt = reader && (await isDoneWithin(RESPONSE_TIMEOUT_MS / 2, reader.read()));
		await reader?.cancel();
		if (!isPrompt) throw new Error(held);
		return 'arrives at once, from the server with this data';
	} finally {
		await database.write(null, (db) => deleteSession(db, session.token_hash));
	}
}

/** True if others than the owner may use a file with this mode. */
const isOpen = (mode: number) => (mode & 0o077) > 0;

/** Of the embedded store. */
const CHECKS_OF_FILES: Readonly<Record<string, Check>> = {
	disk: ({ config: { BECKON_DATA: data } }) => requireFreeSpace(data),
	files: ({ config: { BECKON_DATA: data } }) => {
		const { uid, mode } = statSync(data);
		const isWrong = (name: string) => {
			const file = statSync(join(data, name));
			return file.uid !== uid || (isOpen(mode) && isOpen(file.mode));
		};
		const wrong = readdirSync(data).filter(isWrong).join(', ');
		if (wrong === '') return `all owned by user ${uid}, and private`;
		const commands = `chown -R ${uid} ${data}; chmod go= ${data}`;
		throw new Error(`${wrong}: owned by another user, or accessible to others. Run: ${commands}`);
	},
	backup: ({ config: { BECKON_BACKUP_DIR: folder } }) => {
		if (folder === '') throw new Skipped('No backups are configured: set BECKON_BACKUP_DIR.');
		const at = lastBackup(folder);
		if (Date.now() - at < MAX_BACKUP_AGE_MS) return `newest from ${new Date(at).toISOString()}`;
		throw new Error(`None in ${folder} since yesterday. The server's log says why.`);
	},
};

const CHECKS: Readonly<Record<string, Check>> = {
	'public address': async ({ url }) => {
		const advice = `Start the server; check its name, the proxy and BECKON_PUBLIC_URL. If the certificate is of your own CA, set NODE_EXTRA_CA_CERTS.`;
		const { status } = await call(`${url}/healthz`, advice);
		if (status !== 200) throw new Error(`${url} answers ${status}. ${advice}`);
		return url;
	},
	certificate: async ({ url }) => {
		const { protocol, hostname: host, port } = new URL(url);
		if (protocol === 'http:') throw new Skipped('Phones need https: see docs/proxies.md.');
		const socket = connect({ host, servername: host, port: Number(port || 443) });
		await once(socket, 'secureConnect', { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
		const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
		socket.destroy();
		const [left, all] = [Date.parse(to) - Date.now(), Date.parse(to) - Date.parse(from)];
		// Proxies renew it when a third is left.
		const days = `${Math.floor(left / DAY_MS)} days left, until ${to}`;
		if (left < all / 6) throw new Error(`${days}. Check the proxy's log.`);
		return days;
	},
	'event stream': checkEventStream,
	'body size': async ({ url }) => {
		const picture = { method: 'POST', body: new Uint8Array(MAX_IMAGE_BYTES) };
		const { status } = await call(`${url}/api/images`, `Let bodies of 2 MB through.`, picture);
		if (status === 413) throw new Error(`The proxy refuses pictures: let bodies of 2 MB through.`);
		return `${MAX_IMAGE_BYTES / 1e6} MB`;
	},
	'push to iPhones': async ({ gateways: { apns } }) => {
		if (!apns) throw new Skipped('Not set up: see docs/operations.md, "Push to iPhones".');
		const { lines } = await askApns(apns);
		// Only developers need it.
		const ofXcode = await askApns(apns, 'sandbox').catch((error: unknown) => error);
		if (ofXcode instanceof Error)
			lines.push(`For apps started from Xcode, however: ${ofXcode.message}`);
		return lines.join(' ');
	},
	'push to browsers': async ({ context, ahead }) => {
		const origins = await pushOrigins(context.database.read);
		for (const origin of origins) {
			const advice = 'Allow outgoing connections to port 443.';
			const { headers } = await call(origin, advice, { method: 'HEAD' });
			ahead.push(Date.parse(headers.get('date') ?? '') - Date.now());
		}
		if (origins.length > 0) return origins.join(' ');
		throw new Skipped('No browser has allowed notifications: pair one, and allow them.');
	},
	clock: ({ ahead: [ms = NaN] }) => {
		if (Math.abs(ms) > MINUTE_MS)
			throw new Error(`It is ${Math.abs(Math.round(ms / 1_000))} s off. Synchronize it by NTP.`);
		if (!Number.isNaN(ms)) return 'agrees with the push services';
		throw new Skipped('No push service to compare with: pair a browser, as above.');
	},
	'alert account': async ({ context, config: { BECKON_ALERT_ACCOUNT: account } }) => {
		if (account !== '') return (await findAccount(context, account)).name;
		throw new Skipped('Nobody gets a push about long failures: set BECKON_ALERT_ACCOUNT.');
	},
	deliveries: async ({ context: { database, now } }) => {
		const phones = await failedSince(database.read, now() - DAY_MS);
		if (phones.length === 0) return 'none failed in the last day';
		const reasons = phones.map(({ name, failure }) => `${name}: ${failure}`).join('; ');
		throw new Error(`Phones not reached (see \`history list\`): ${reasons}`);
	},
	callbacks: async ({ context: { database, now } }) => {
		const ids = await callbacksGivenUpSince(database.read, now() - DAY_MS);
		if (ids.length === 0) return 'none given up in the last day';
		throw new Error(`Given up; repeat them with \`history tell-again\`: ${ids.join(' ')}`);
	},
};

export const doctor = dataCommand('check everything that the server needs, and say what to do', {
	run: async (context, _options, config, gateways) => {
		const subject = { context, config, gateways, url: publicUrl(config), ahead: [] };
		const found = [];
		for (const [check, run] of Object.entries({ ...CHECKS, ...CHECKS_OF_FILES })) {
			try {
				if (check in CHECKS_OF_FILES && config.BECKON_DATABASE_URL !== '')
					throw new Skipped('The data is in PostgreSQL: use its own tools.');
				found.push({ check, state: 'ok', says: await run(subject) });
			} catch (error) {
				const state = error instanceof Skipped ? 'skipped' : 'failed';
				found.push({ check, state, says: (error as Error).message });
			}
		}
		if (found.some(({ state }) => state === 'failed')) process.exitCode = 1;
		return listing(found, { CHECK: 'check', STATE: 'state', '': 'says' });
	},
});
