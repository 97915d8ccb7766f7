import { auditQuery } from '../../contract/console/audit.ts';
import { auditLog } from '../../service/audit.ts';
import type { HttpParts } from '../parts.ts';
import type { TypedApp } from '../typed-app.ts';
import { onlyOwner, requireVisitor } from './authentication.ts';

export function registerAudit(app: TypedApp, { context }: HttpParts): void {
	app.get('/audit', { onRequest: onlyOwner, schema: { querystring: auditQuery } }, (request) =>
		auditLog(context, requireVisitor(request).accountId, request.query),
	);
}
