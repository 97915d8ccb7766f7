import { idParams } from '../../contract/console/members.ts';
import { keyRequest } from '../../contract/console/resources.ts';
import {
	createApiKey,
	listAccountApiKeys,
	revokeKey,
} from '../../service/administration/api-keys.ts';
import type { HttpParts } from '../parts.ts';
import type { TypedApp } from '../typed-app.ts';
import { actingContext, onlyOwner, requireVisitor } from './authentication.ts';
import { success } from './parts.ts';

/** Any member sees the keys, by name and last four characters; owners make and revoke them. */
export function registerKeys(app: TypedApp, { context }: HttpParts): void {
	app.get('/keys', (request) => listAccountApiKeys(context, requireVisitor(request).accountId));
	app.post('/keys', { onRequest: onlyOwner, schema: { body: keyRequest } }, (request) =>
		createApiKey(actingContext(context, request), requireVisitor(request).accountId, request.body),
	);
	app.delete(
		'/keys/:id',
		{ onRequest: onlyOwner, schema: { params: idParams } },
		async (request) => {
			await revokeKey(
				actingContext(context, request),
				requireVisitor(request).accountId,
				request.params.id,
			);
			return success;
		},
	);
}
