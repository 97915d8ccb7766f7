import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely';
import type { Tables } from './schema.ts';

type HistoryExpressions = ExpressionBuilder<Tables, 'history'>;
type MessageExpressions = ExpressionBuilder<Tables, 'history' | 'messages'>;

/** Where people's words stand in what devices are told; the other fields are the program's own. */
const TEXT_FIELDS = [
	'title',
	'subtitle',
	'message',
	'label',
	'value',
	'unit',
	'body',
	'stream_key',
];

function pattern(word: string): string {
	return `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

const wordsOf = (search: string) => search.split(/\s+/).filter((word) => word !== '');

/** One of the texts of `messages` is like the pattern. */
function contentIsLike(like: string): Expression<SqlBool> {
	return sql<SqlBool>`exists (
		select 1 from json_tree(messages.content_json) as part
		where part.key in (${sql.join(TEXT_FIELDS)})
		and part.atom like ${like} escape '\\'
	)`;
}

/**
 * Every word of `search` occurs somewhere in the entry: its title, tags, metadata, or the text of
 * any of its messages, so that what an activity said hours ago is found too.
 *
 * The newest entries of one account are read in order and looked through, without an index of words:
 * nothing has to be kept up to date on every send, and a page is full long before the end. Only
 * this file knows how SQLite looks into JSON; another engine has its own form of it here.
 */
export function matchesSearch(eb: HistoryExpressions, search: string): Expression<SqlBool>[] {
	return wordsOf(search).map((word) => {
		const like = pattern(word);
		return eb.or([
			sql<SqlBool>`history.title like ${like} escape '\\'`,
			sql<SqlBool>`history.tags_json like ${like} escape '\\'`,
			sql<SqlBool>`history.metadata_json like ${like} escape '\\'`,
			eb.exists(
				eb
					.selectFrom('messages')
					.select('messages.id')
					.whereRef('messages.history_id', '=', 'history.id')
					.where(contentIsLike(like)),
			),
		]);
	});
}

/** Every word of `search` occurs in the text of the message, or in the tags of its entry. */
export function messageMatches(eb: MessageExpressions, search: string): Expression<SqlBool>[] {
	return wordsOf(search).map((word) => {
		const like = pattern(word);
		return eb.or([sql<SqlBool>`history.tags_json like ${like} escape '\\'`, contentIsLike(like)]);
	});
}
