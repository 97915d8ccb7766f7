import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Config } from '../config.ts';
import { MAX_IMAGE_BYTES } from '../contract/images.ts';
import type { Gateways } from '../delivery/routes.ts';
import { DAY_MS, isDoneWithin, MINUTE_MS } from '../durations.ts';
import { findAccount } from '../service/accounts/accounts.ts';
import type { ActingContext } from '../service/audit.ts';
import { SESSION_COOKIE } from '../service/people/sessions.ts';
import { hashSecret, newToken } from '../service/secrets.ts';
import { anyMember, deleteSession, insertSession } from '../store/people/members.ts';
import { failedSince, pushOrigins } from '../store/phones/devices.ts';
import { callbacksGivenUpSince } from '../store/questions.ts';
import { lastBackup, requireRoom } from '../watch.ts';
import { askApns } from './check.ts';
import { dataCommand, listing } from './commands.ts';
import { publicUrl } from './run.ts';

/** Milliseconds that an address has to answer. */
const PATIENCE_MS = 5_000;

const PAST = 1.5 * DAY_MS;

interface Subject {
	context: ActingContext;
	config: Config;
	gateways: Gateways;
	/** The public address. */
	url: string;
	/** By how much clocks of push services are ahead, in milliseconds. */
	ahead: number[];
}

/** What was found; undefined: it does not apply. Throws an Error with what is wrong, and what to do. */
type Check = (subject: Subject) => Promise<string | undefined> | string | undefined;

async function call(url: string, advice: string, request: RequestInit = {}): Promise<Response> {
	try {
		return await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), ...request });
	} catch (error) {
		const { message, cause = message } = error as Error;
		throw new Error(`${url} was not reached: ${String(cause)}. ${advice}`, { cause: error });
	}
}

/** Opens the console's event stream as a member who is signed in for a minute. */
async function checkEventStream({ context, url }: Subject): Promise<string | undefined> {
	const { database, now } = context;
	const member = await anyMember(database.read);
	if (!member) return undefined;
	const token = newToken();
	const session = { token_hash: hashSecret(token), member_id: member.id, created_at: now() };
	const times = { last_used_at: now(), expires_at: now() + MINUTE_MS };
	await database.write(null, (db) => insertSession(db, { ...session, ...times }));
	const held = `It holds event streams back: turn off the proxy's buffering (docs/proxies.md).`;
	try {
		const request = { headers: { cookie: `${SESSION_COOKIE}=${token}` } };
		const { ok, status, body } = await call(`${url}/console/api/events`, held, request);
		if (!ok) throw new Error(`${url} answers ${status}: it leads to a server with other data.`);
		const reader = body?.getReader();
		const isPrompt = reader && (await isDoneWithin(PATIENCE_MS / 2, reader.read()));
		await reader?.cancel();
		if (!isPrompt) throw new Error(held);
		return 'arrives at once, from the server with this data';
	} finally {
		await database.write(null, (db) => deleteSession(db, session.token_hash));
	}
}

/** Of the embedded store. */
const CHECKS_OF_FILES: Readonly<Record<string, Check>> = {
	disk: ({ config: { BECKON_DATA: data } }) => requireRoom(data),
	// Opening the store makes it unreadable for other users.
	files: ({ config: { BECKON_DATA: data } }) => {
		const { uid } = statSync(data);
		const isStrange = (name: string) => statSync(join(data, name)).uid !== uid;
		const strange = readdirSync(data).filter(isStrange);
		if (strange.length === 0) return `all of user ${uid}`;
		throw new Error(`${strange.join(', ')}: of another user. Run: chown -R ${uid} ${data}`);
	},
	backup: ({ config: { BECKON_BACKUP_DIR: folder } }) => {
		if (folder === '') return undefined;
		const at = lastBackup(folder);
		if (Date.now() - at < PAST) return `of ${new Date(at).toISOString()}`;
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
		if (protocol === 'http:') return undefined;
		const socket = connect({ host, servername: host, port: Number(port || 443) });
		await once(socket, 'secureConnect', { signal: AbortSignal.timeout(PATIENCE_MS) });
		const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
		socket.destroy();
		const [left, all] = [Date.parse(to) - Date.now(), Date.parse(to) - Date.parse(from)];
		// Proxies renew it when a third is left.
		if (left < all / 6) throw new Error(`It ends at ${to}. Look into the proxy's log.`);
		return `until ${to}`;
	},
	'event stream': checkEventStream,
	'body size': async ({ url }) => {
		const picture = { method: 'POST', body: new Uint8Array(MAX_IMAGE_BYTES) };
		const { status } = await call(`${url}/api/images`, `Let bodies of 2 MB through.`, picture);
		if (status === 413) throw new Error(`The proxy refuses pictures: let bodies of 2 MB through.`);
		return `${MAX_IMAGE_BYTES / 1e6} MB`;
	},
	'push to iPhones': async ({ gateways: { apns } }) =>
		apns && (await askApns(apns)).lines.join(' '),
	'push to browsers': async ({ context, ahead }) => {
		const origins = await pushOrigins(context.database.read);
		for (const origin of origins) {
			const advice = 'Allow outgoing connections to port 443.';
			const { headers } = await call(origin, advice, { method: 'HEAD' });
			ahead.push(Date.parse(headers.get('date') ?? '') - Date.now());
		}
		return origins.length > 0 ? origins.join(' ') : undefined;
	},
	clock: ({ ahead: [ms = NaN] }) => {
		if (Math.abs(ms) > MINUTE_MS)
			throw new Error(`Push services are ${Math.round(ms / 1_000)} s ahead. Synchronize it (NTP).`);
		return Number.isNaN(ms) ? undefined : 'that of the push services';
	},
	'alert account': async ({ context, config: { BECKON_ALERT_ACCOUNT: told } }) =>
		told === '' ? undefined : (await findAccount(context, told)).name,
	deliveries: async ({ context: { database, now } }) => {
		const phones = await failedSince(database.read, now() - DAY_MS);
		if (phones.length === 0) return 'none failed for a day';
		const reasons = phones.map(({ name, failure }) => `${name}: ${failure}`).join('; ');
		throw new Error(`Not reached, which \`history list\` explains: ${reasons}`);
	},
	callbacks: async ({ context: { database, now } }) => {
		const ids = await callbacksGivenUpSince(database.read, now() - DAY_MS);
		if (ids.length === 0) return 'none was given up for a day';
		throw new Error(`Given up; repeat them with \`history tell-again\`: ${ids.join(' ')}`);
	},
};

export const doctor = dataCommand('check everything that the server needs, and say what to do', {
	run: async (context, _options, config, gateways) => {
		const subject = { context, config, gateways, url: publicUrl(config), ahead: [] };
		const found = [];
		const ofFiles = config.BECKON_DATABASE_URL === '' ? CHECKS_OF_FILES : {};
		for (const [check, run] of Object.entries({ ...CHECKS, ...ofFiles })) {
			try {
				const says = await run(subject);
				found.push({ check, state: says === undefined ? 'skipped' : 'ok', says });
			} catch (error) {
				found.push({ check, state: 'failed', says: (error as Error).message });
			}
		}
		if (found.some(({ state }) => state === 'failed')) process.exitCode = 1;
		return listing(found, { CHECK: 'check', STATE: 'state', '': 'says' });
	},
});
