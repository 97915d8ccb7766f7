import { idParams } from '../../contract/console/members.ts';
import { keyRequest } from '../../contract/console/resources.ts';
import {
	createApiKey,
	listAccountApiKeys,
	revokeKey,
} from '../../service/keys-and-channels/api-keys.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { acting, onlyOwner, requireVisitor } from './authentication.ts';

/** Any member sees the keys, by name and last four characters; owners make and revoke them. */
export function registerKeys(app: TypedApp, { context }: HttpParts): void {
	app.get('/keys', (request) => listAccountApiKeys(context, requireVisitor(request).accountId));
	app.post('/keys', { onRequest: onlyOwner, schema: { body: keyRequest } }, (request) =>
		createApiKey(...acting(context, request), request.body),
	);
	app.delete('/keys/:id', { onRequest: onlyOwner, schema: { params: idParams } }, (request) =>
		revokeKey(...acting(context, request), request.params.id).then(toSuccess),
	);
}
