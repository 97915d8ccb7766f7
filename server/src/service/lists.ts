import type {
	ChannelsQuery,
	ChannelsResponse,
	MetricsQuery,
	MetricsResponse,
	PeopleQuery,
	PeopleResponse,
	PhonesQuery,
	PhonesResponse,
	StreamStatus,
	StreamsQuery,
	StreamsResponse,
	TriggersQuery,
	TriggersResponse,
} from '../contract/lists.ts';
import { streamsPart } from '../store/activities/activities.ts';
import { channelsPart } from '../store/keys-and-channels/channels.ts';
import { metricsPart } from '../store/metrics.ts';
import type { Part } from '../store/list-pages.ts';
import { peoplePart } from '../store/people/users.ts';
import { connectedPhones } from '../store/phones/device-audience.ts';
import { triggersPart } from '../store/triggers.ts';
import { toPhoneSlug } from './sending/audience.ts';
import { listens } from './triggers/taps.ts';
import { toContent } from './shown/content.ts';
import type { Caller, Context } from './context.ts';
import { forbidden } from './refusal.ts';

/** GET /channels: those of the account, or of the key if it is restricted to some. */
export async function listChannels(context: Context, caller: Caller, query: ChannelsQuery) {
	const { database } = context;
	const { accountId, channels } = caller;
	const page = await loadPage(
		query,
		(part) => channelsPart(database.read, { accountId, ...part }, channels),
		({ slug }) => slug,
	);
	return { success: true, channels: page.entries, next: page.next } satisfies ChannelsResponse;
}

/** GET /phones: the connected ones that the key may name. */
export async function listPhones(context: Context, caller: Caller, query: PhonesQuery) {
	const { database } = context;
	const { accountId, channels } = caller;
	const load = async ({ after = '', limit }: Omit<Part, 'accountId'>) => {
		const phones = await connectedPhones(database.read, accountId, channels);
		return phones
			.map(({ id, name, user }) => ({ slug: toPhoneSlug(id), name, user }))
			.filter(({ slug }) => slug > after)
			.sort((a, b) => (a.slug < b.slug ? -1 : 1))
			.slice(0, limit);
	};
	const page = await loadPage(query, load, ({ slug }) => slug);
	return { success: true, phones: page.entries, next: page.next } satisfies PhonesResponse;
}

/**
 * GET /people: the names of those in the account.
 * @throws Refusal `forbidden` for a key limited to channels, which must not learn who else there is
 */
export async function listPeople(context: Context, caller: Caller, query: PeopleQuery) {
	const { database } = context;
	const { accountId, channels } = caller;
	if (channels)
		throw forbidden(
			'Forbidden',
			'Only a key of all channels may list the people of the account; this one can still name them.',
		);
	const page = await loadPage(
		query,
		(part) => peoplePart(database.read, { accountId, ...part }),
		({ name }) => name,
	);
	return { success: true, people: page.entries, next: page.next } satisfies PeopleResponse;
}

/** GET /metrics: those of the account, whatever the key's channels. */
export async function listMetrics(context: Context, caller: Caller, query: MetricsQuery) {
	const { database } = context;
	const { accountId } = caller;
	const page = await loadPage(
		query,
		(part) => metricsPart(database.read, { accountId, ...part }),
		({ key }) => key,
	);
	return { success: true, metrics: page.entries, next: page.next } satisfies MetricsResponse;
}

/** GET /live-activity/streams: those that the key can update. */
export async function listStreams(context: Context, caller: Caller, query: StreamsQuery) {
	const { database } = context;
	const { accountId, channels } = caller;
	const phones = channels ? await connectedPhones(database.read, accountId, channels) : [];
	const own = channels && [...channels, ...phones.map(({ id }) => toPhoneSlug(id))];
	const page = await loadPage(
		query,
		(part) => streamsPart(database.read, { accountId, ...part }, own),
		({ stream_key: key }) => key,
	);
	const streams = page.entries.map((stream) => ({
		stream_key: stream.stream_key,
		title: toContent({ ...stream, actions_json: null })?.state.content.title ?? null,
		status: toStatus(stream),
	}));
	return { success: true, streams, next: page.next } satisfies StreamsResponse;
}

/** GET /triggers: all, or for a restricted key those to which it listens itself. */
export async function listTriggers(
	{ database, now }: Pick<Context, 'database' | 'now'>,
	{ accountId, keyId, channels }: Caller,
	query: TriggersQuery,
): Promise<TriggersResponse> {
	const page = await loadPage(
		query,
		(part) => triggersPart(database.read, { accountId, ...part }, channels ? keyId : undefined),
		({ id }) => id,
	);
	const triggers = page.entries.map((trigger) => ({
		trigger_id: trigger.id,
		name: trigger.name,
		listening: listens(trigger, now()),
	}));
	return { success: true, triggers, next: page.next };
}

function toStatus(stream: { paused_at: number | null; is_running: number }): StreamStatus {
	if (stream.paused_at !== null) return 'paused';
	return stream.is_running === 1 ? 'running' : 'idle';
}

/** Loads one entry more than fits the page, to tell whether another page follows. */
export async function loadPage<E>(
	{ after, limit }: { after?: string | undefined; limit: number },
	load: (part: Omit<Part, 'accountId'>) => Promise<E[]>,
	toKey: (entry: E) => string,
): Promise<{ entries: E[]; next: string | null }> {
	const loaded = await load({ after, limit: limit + 1 });
	const entries = loaded.slice(0, limit);
	const last = entries.at(-1);
	return { entries, next: loaded.length > limit && last ? toKey(last) : null };
}
