import type { CallResponse } from '../contract/calls.ts';
import type {
	channelList,
	metricList,
	peopleList,
	phoneList,
	streamList,
	StreamStatus,
	triggerList,
} from '../contract/lists.ts';
import { streamsPart } from '../store/activities/activities.ts';
import { channelsPart } from '../store/keys-and-channels/channels.ts';
import { metricsPart } from '../store/metrics.ts';
import type { Part } from '../store/list-pages.ts';
import { peoplePart } from '../store/people/users.ts';
import { connectedPhones } from '../store/phones/device-audience.ts';
import type { Db } from '../store/schema.ts';
import { triggersPart } from '../store/triggers.ts';
import { toPhoneSlug } from './sending/audience.ts';
import { listens } from './triggers/taps.ts';
import { toContent } from './shown/content.ts';
import type { Caller, Context } from './context.ts';
import { forbidden } from './refusal.ts';

/** GET /channels: those of the account, or of a limited key. */
export async function listChannels(context: Context, caller: Caller, query: PageQuery) {
	const load = (db: Db, part: Part) => channelsPart(db, part, caller.channels);
	const { entries, next } = await loadList(context, caller, query, load, ({ slug }) => slug);
	return { success: true, channels: entries, next } satisfies CallResponse<typeof channelList>;
}

/** GET /phones: the connected phones that the key may target. */
export async function listPhones(context: Context, caller: Caller, query: PageQuery) {
	const load = async (db: Db, { accountId, after = '', limit }: Part) => {
		const phones = await connectedPhones(db, accountId, caller.channels);
		return phones
			.map(({ id, name, user }) => ({ slug: toPhoneSlug(id), name, user }))
			.filter(({ slug }) => slug > after)
			.sort((a, b) => (a.slug < b.slug ? -1 : 1))
			.slice(0, limit);
	};
	const { entries, next } = await loadList(context, caller, query, load, ({ slug }) => slug);
	return { success: true, phones: entries, next } satisfies CallResponse<typeof phoneList>;
}

/**
 * GET /people: the names of those in the account.
 * @throws Refusal `forbidden` for a key limited to channels, which must not learn who else there is
 */
export async function listPeople(context: Context, caller: Caller, query: PageQuery) {
	if (caller.channels)
		throw forbidden(
			'Forbidden',
			'Only a key for all channels may list the people of the account; this one can still name them.',
		);
	const { entries, next } = await loadList(context, caller, query, peoplePart, ({ name }) => name);
	return { success: true, people: entries, next } satisfies CallResponse<typeof peopleList>;
}

/** GET /metrics: those of the account, whatever the key's channels. */
export async function listMetrics(context: Context, caller: Caller, query: PageQuery) {
	const { entries, next } = await loadList(context, caller, query, metricsPart, ({ key }) => key);
	return { success: true, metrics: entries, next } satisfies CallResponse<typeof metricList>;
}

/** GET /live-activity/streams: those that the key can update. */
export async function listStreams(context: Context, caller: Caller, query: PageQuery) {
	const { database } = context;
	const { accountId, channels } = caller;
	const phones = channels ? await connectedPhones(database.read, accountId, channels) : [];
	const slugs = channels && [...channels, ...phones.map(({ id }) => toPhoneSlug(id))];
	const load = (db: Db, part: Part) => streamsPart(db, part, slugs);
	const page = await loadList(context, caller, query, load, (stream) => stream.stream_key);
	const streams = page.entries.map((stream) => ({
		stream_key: stream.stream_key,
		title: toContent({ ...stream, actions_json: null })?.state.content.title ?? null,
		status: toStatus(stream),
	}));
	return { success: true, streams, next: page.next } satisfies CallResponse<typeof streamList>;
}

/** GET /triggers: all; for a limited key, those that it listens to itself. */
export async function listTriggers(
	context: Pick<Context, 'database' | 'now'>,
	caller: Caller,
	query: PageQuery,
) {
	const asker = caller.channels ? caller.keyId : undefined;
	const load = (db: Db, part: Part) => triggersPart(db, part, asker);
	const page = await loadList(context, caller, query, load, ({ id }) => id);
	const triggers = page.entries.map((trigger) => ({
		trigger_id: trigger.id,
		name: trigger.name,
		listening: listens(trigger, context.now()),
	}));
	return { success: true, triggers, next: page.next } satisfies CallResponse<typeof triggerList>;
}

function toStatus(stream: { paused_at: number | null; is_running: number }): StreamStatus {
	if (stream.paused_at !== null) return 'paused';
	return stream.is_running === 1 ? 'running' : 'idle';
}

type PageQuery = { after?: string | undefined; limit: number };

/** Loads a page of a list of the caller's account. */
function loadList<E>(
	{ database }: Pick<Context, 'database'>,
	{ accountId }: Caller,
	query: PageQuery,
	load: (db: Db, part: Part) => Promise<E[]>,
	toKey: (entry: E) => string,
) {
	return loadPage(query, (part) => load(database.read, { accountId, ...part }), toKey);
}

/** Loads one entry more than fits the page, to tell whether another page follows. */
export async function loadPage<E>(
	{ after, limit }: PageQuery,
	load: (part: Omit<Part, 'accountId'>) => Promise<E[]>,
	toKey: (entry: E) => string,
) {
	const loaded = await load({ after, limit: limit + 1 });
	const entries = loaded.slice(0, limit);
	const last = entries.at(-1);
	return { entries, next: loaded.length > limit && last ? toKey(last) : null };
}
