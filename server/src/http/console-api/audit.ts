import { auditQuery } from '../../contract/console/audit.ts';
import { auditLog } from '../../service/administration/audit.ts';
import type { TypedApp } from '../typed-app.ts';
import { onlyOwner, requireVisitor } from './authentication.ts';
import type { ConsoleParts } from './parts.ts';

export function registerAudit(app: TypedApp, { context }: ConsoleParts): void {
	app.get('/audit', { onRequest: onlyOwner, schema: { querystring: auditQuery } }, (request) =>
		auditLog(context, requireVisitor(request).accountId, request.query),
	);
}
