import { idParams, inviteRequest, roleRequest } from '../../contract/console/members.ts';
import { inviteMember } from '../../service/console/join.ts';
import {
	changeRole,
	createResetLink,
	listAccountMembers,
	removeMember,
	withdrawInvitation,
} from '../../service/console/members.ts';
import type { HttpParts } from '../parts.ts';
import type { TypedApp } from '../typed-app.ts';
import { actingContext, onlyOwner, requireVisitor } from './authentication.ts';
import { success } from './parts.ts';

export function registerMembers(app: TypedApp, { context }: HttpParts): void {
	app.get('/members', (request) => listAccountMembers(context, requireVisitor(request).accountId));
	app.post(
		'/invitations',
		{ onRequest: onlyOwner, schema: { body: inviteRequest } },
		async (request) => ({
			token: await inviteMember(
				actingContext(context, request),
				requireVisitor(request).accountId,
				request.body,
			),
		}),
	);
	app.delete(
		'/invitations/:id',
		{ onRequest: onlyOwner, schema: { params: idParams } },
		async (request) => {
			await withdrawInvitation(
				actingContext(context, request),
				requireVisitor(request).accountId,
				request.params.id,
			);
			return success;
		},
	);
	app.put(
		'/members/:id',
		{ onRequest: onlyOwner, schema: { params: idParams, body: roleRequest } },
		async (request) => {
			const { accountId } = requireVisitor(request);
			await changeRole(
				actingContext(context, request),
				accountId,
				request.params.id,
				request.body.role,
			);
			return success;
		},
	);
	app.post(
		'/members/:id/reset-link',
		{ onRequest: onlyOwner, schema: { params: idParams } },
		async (request) => ({
			token: await createResetLink(
				actingContext(context, request),
				requireVisitor(request).accountId,
				request.params.id,
			),
		}),
	);
	app.delete(
		'/members/:id',
		{ onRequest: onlyOwner, schema: { params: idParams } },
		async (request) => {
			await removeMember(
				actingContext(context, request),
				requireVisitor(request).accountId,
				request.params.id,
			);
			return success;
		},
	);
}
