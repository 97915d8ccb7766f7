import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely';
import type { HistoryOutcome } from '../../contract/console/history.ts';
import type { DeviceHistoryQuery } from '../../contract/device.ts';
import { isPostgres } from '../engine/statement.ts';
import type { Db, Tables } from '../schema.ts';
import { eachWord, isLike, pattern } from '../list-pages.ts';

type MessageExpressions = ExpressionBuilder<Tables, 'history' | 'messages'>;

/** The JSON fields that contain people's text; the others belong to the program. */
const TEXT_FIELDS = 'title subtitle message label value unit body stream_key'.split(' ');

/** Messages of an entry that are searched: an activity may have thousands. */
const SEARCHED_MESSAGES = 20;

/** Escapes of U+0000 and lone surrogates, which PostgreSQL's JSON cannot hold. */
const UNKNOWN_TO_JSONB = String.raw`\\u(0000|d[89a-f][0-9a-f]{2})`;

/** Condition: one of the texts of `messages` matches the pattern. */
function contentIsLike(db: Db, like: string): Expression<SqlBool> {
	if (!isPostgres(db))
		return sql<SqlBool>`exists (
			select 1 from json_tree(messages.content_json) as part
			where part.key in (${sql.join(TEXT_FIELDS)})
			and part.atom like ${like} escape '\\'
		)`;
	return sql<SqlBool>`exists (
		select 1 from jsonb_path_query(
			regexp_replace(messages.content_json, ${UNKNOWN_TO_JSONB}, ${String.raw`\\ufffd`}, 'g')::jsonb,
			'$.** ? (@.type() == "object").keyvalue()'
		) as part
		where part ->> 'key' in (${sql.join(TEXT_FIELDS)})
		and jsonb_typeof(part -> 'value') not in ('object', 'array')
		and part ->> 'value' ilike ${like}
	)`;
}

/**
 * Condition: every word of `search` occurs in the entry: in its title, tags, metadata, or the text of one
 * of its newest messages, which for an activity are its states.
 *
 * The entries of one account are scanned newest first, without an index of words: a send has no index to
 * update, and a page is full long before the end. Only this file knows how the engines query JSON.
 */
export function matchesSearch(db: Db, search: string) {
	return eachWord(search, (like) => [
		isLike(db, 'history.title', like),
		isLike(db, 'history.tags_json', like),
		isLike(db, 'history.metadata_json', like),
		sql<SqlBool>`exists (
			select 1 from (
				select content_json from messages where history_id = history.id
				order by id desc limit ${SEARCHED_MESSAGES}
			) as messages where ${contentIsLike(db, like)}
		)`,
	]);
}

/** Condition: the entry was sent to the channel. */
export function isInChannel(db: Db, slug: string): Expression<SqlBool> {
	// A slug is one whole string of the list.
	return isLike(db, 'history.channels_json', pattern(JSON.stringify(slug)));
}

/** Condition: a delivery of the entry failed, or it asks something that nobody has answered. */
export function hasOutcome(db: Db, outcome: HistoryOutcome): Expression<SqlBool> {
	if (outcome === 'failed')
		return sql`exists (
			select 1 from messages join deliveries on deliveries.message_id = messages.id
			where messages.history_id = history.id and deliveries.state = 'failed'
		)`;
	// Only buttons have a type: inside a JSON text, a quotation mark has a backslash before it.
	const webhook = '%"type":"webhook"%';
	return sql`(
		exists (
			select 1 from questions where questions.id = history.id and questions.ended_at is null
		) or exists (
			select 1 from messages
			where messages.history_id = history.id and messages.kind = 'push'
			and messages.actions_json like ${webhook}
			and ${jsonField(db, 'messages.content_json', 'answer')} is null
		) or exists (
			select 1 from activities
			where activities.id = history.id and activities.ended_at is null
			and activities.actions_json like ${webhook}
			and ${jsonField(db, 'activities.actions_json', 'answer')} is null
		)
	)`;
}

/** Condition: the entry has the tag. */
export function hasTag(tag: string): Expression<SqlBool> {
	return sql`exists (
		select 1 from history_tags
		where history_tags.history_id = history.id and history_tags.tag = ${tag}
	)`;
}

/** A search in a phone's history. */
type DeviceHistoryFilter = Omit<DeviceHistoryQuery, 'before' | 'limit'>;

/** Conditions: the message, or its entry, fits the filter. */
export function messageMatches(db: Db, eb: MessageExpressions, filter: DeviceHistoryFilter) {
	const { search = '', channel, tag_part: part, level } = filter;
	const conditions = eachWord(search, (like) => [
		isLike(db, 'history.tags_json', like),
		contentIsLike(db, like),
	]);
	if (channel !== undefined) conditions.push(isInChannel(db, channel));
	if (part !== undefined) conditions.push(isLike(db, 'history.tags_json', pattern(part)));
	if (level !== undefined) conditions.push(eb('messages.kind', '=', 'push'), isOfLevel(db, level));
	return conditions;
}

/** Condition: the push of `messages` has the level. */
function isOfLevel(db: Db, level: string): Expression<SqlBool> {
	return sql<SqlBool>`${jsonField(db, 'messages.content_json', 'interruption_level')} = ${level}`;
}

/** A field of the object in a column, as text; null if it has none. */
function jsonField(db: Db, column: string, name: string): Expression<string | null> {
	return isPostgres(db)
		? sql`regexp_replace(${sql.ref(column)}, ${UNKNOWN_TO_JSONB}, ${String.raw`\\ufffd`}, 'g')::jsonb ->> ${sql.lit(name)}`
		: sql`${sql.ref(column)} ->> ${sql.lit(name)}`;
}
