import type { Migration } from 'kysely/migration';
import * as first from './0001-first.ts';
import * as idempotencyKeys from './0002-idempotency-keys.ts';
import * as outcomes from './0003-outcomes.ts';
import * as questions from './0004-questions.ts';
import * as snooze from './0005-snooze.ts';
import * as markdown from './0006-markdown.ts';
import * as sessionClients from './0007-session-clients.ts';
import * as broadcast from './0008-broadcast.ts';
import * as sequences from './0009-sequences.ts';
import * as triggers from './0010-triggers.ts';
import * as keptAnswers from './0011-kept-answers.ts';

/**
 * Every migration by its name, in order. A name ends with a fingerprint of the migration's statements on both
 * engines: a store remembers the names, so one made by other statements is refused. A released name and its
 * statements never change.
 */
export const migrations: Record<string, Migration> = {
	'0001-first-7d42c3f4': first,
	'0002-idempotency-keys-647c8d74': idempotencyKeys,
	'0003-outcomes-c141832a': outcomes,
	'0004-questions-d98b9f4a': questions,
	'0005-snooze-fb907359': snooze,
	'0006-markdown-37930d68': markdown,
	'0007-session-clients-8a24f2fb': sessionClients,
	'0008-broadcast-be23badd': broadcast,
	'0009-sequences-31a2cc83': sequences,
	'0010-triggers-4938878e': triggers,
	'0011-kept-answers-5fa0d7cb': keptAnswers,
};
