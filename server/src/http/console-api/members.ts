import { idParams, inviteRequest, roleRequest } from '../../contract/console/members.ts';
import { inviteMember } from '../../service/people/join.ts';
import {
	changeRole,
	createResetLink,
	listAccountMembers,
	removeMember,
	withdrawLink,
} from '../../service/people/members.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { acting, onlyOwner, requireVisitor } from './authentication.ts';

export function registerMembers(app: TypedApp, { context }: HttpParts): void {
	app.get('/members', (request) => listAccountMembers(context, requireVisitor(request).accountId));
	app.post(
		'/invitations',
		{ onRequest: onlyOwner, schema: { body: inviteRequest } },
		async (request) => ({
			token: await inviteMember(...acting(context, request), request.body),
		}),
	);
	// Reset links, too.
	app.delete(
		'/invitations/:id',
		{ onRequest: onlyOwner, schema: { params: idParams } },
		(request) => withdrawLink(...acting(context, request), request.params.id).then(toSuccess),
	);
	app.put(
		'/members/:id',
		{ onRequest: onlyOwner, schema: { params: idParams, body: roleRequest } },
		(request) =>
			changeRole(...acting(context, request), request.params.id, request.body.role).then(toSuccess),
	);
	app.post(
		'/members/:id/reset-link',
		{ onRequest: onlyOwner, schema: { params: idParams } },
		async (request) => ({
			token: await createResetLink(...acting(context, request), request.params.id),
		}),
	);
	app.delete('/members/:id', { onRequest: onlyOwner, schema: { params: idParams } }, (request) =>
		removeMember(...acting(context, request), request.params.id).then(toSuccess),
	);
}
