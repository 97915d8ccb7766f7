import { Readable } from 'node:stream';
import { historyExportQuery, historyQuery } from '../../contract/console/history.ts';
import { idParams } from '../../contract/console/members.ts';
import { historyCsv, historyEntry, historyForConsole } from '../../service/history.ts';
import type { HttpParts } from '../parts.ts';
import type { TypedApp } from '../typed-app.ts';
import { requireVisitor } from './authentication.ts';

export function registerHistory(app: TypedApp, { context }: HttpParts): void {
	app.get('/history', { schema: { querystring: historyQuery } }, (request) =>
		historyForConsole(context, requireVisitor(request).accountId, request.query),
	);
	app.get('/history/:id', { schema: { params: idParams } }, (request) =>
		historyEntry(context, requireVisitor(request).accountId, request.params.id),
	);
	app.get('/history.csv', { schema: { querystring: historyExportQuery } }, (request, reply) =>
		reply
			.headers({
				'content-type': 'text/csv; charset=utf-8',
				'content-disposition': 'attachment; filename="beckon-history.csv"',
			})
			.send(Readable.from(historyCsv(context, requireVisitor(request).accountId, request.query))),
	);
}
