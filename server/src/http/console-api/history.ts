import { Readable } from 'node:stream';
import { historyExportQuery, historyParams, historyQuery } from '../../contract/console/history.ts';
import { historyCsv, historyEntry, historyForConsole } from '../../service/console/history.ts';
import type { TypedApp } from '../typed-app.ts';
import { visitorOf } from './authentication.ts';
import type { ConsoleParts } from './parts.ts';

export function registerHistory(app: TypedApp, { context }: ConsoleParts): void {
	app.get('/history', { schema: { querystring: historyQuery } }, (request) =>
		historyForConsole(context, visitorOf(request).accountId, request.query),
	);
	app.get('/history/:id', { schema: { params: historyParams } }, (request) =>
		historyEntry(context, visitorOf(request).accountId, request.params.id),
	);
	app.get('/history.csv', { schema: { querystring: historyExportQuery } }, (request, reply) =>
		reply
			.headers({
				'content-type': 'text/csv; charset=utf-8',
				'content-disposition': 'attachment; filename="beckon-history.csv"',
			})
			.send(Readable.from(historyCsv(context, visitorOf(request).accountId, request.query))),
	);
}
