import { idParams, inviteRequest, roleRequest } from '../../contract/console/people.ts';
import { inviteMember } from '../../service/console/join.ts';
import {
	changeRole,
	membersOf,
	removeMember,
	withdrawInvitation,
} from '../../service/console/members.ts';
import type { TypedApp } from '../typed-app.ts';
import { onlyOwner, visitorOf } from './authentication.ts';
import { type ConsoleParts, success } from './parts.ts';

export function registerMembers(app: TypedApp, { context }: ConsoleParts): void {
	app.get('/members', (request) => membersOf(context, visitorOf(request).accountId));
	app.post(
		'/invitations',
		{ onRequest: onlyOwner, schema: { body: inviteRequest } },
		async (request) => ({
			token: await inviteMember(context, visitorOf(request).accountId, request.body),
		}),
	);
	app.delete(
		'/invitations/:id',
		{ onRequest: onlyOwner, schema: { params: idParams } },
		async (request) => {
			await withdrawInvitation(context, visitorOf(request).accountId, request.params.id);
			return success;
		},
	);
	app.put(
		'/members/:id',
		{ onRequest: onlyOwner, schema: { params: idParams, body: roleRequest } },
		async (request) => {
			const { accountId } = visitorOf(request);
			await changeRole(context, accountId, request.params.id, request.body.role);
			return success;
		},
	);
	app.delete(
		'/members/:id',
		{ onRequest: onlyOwner, schema: { params: idParams } },
		async (request) => {
			await removeMember(context, visitorOf(request).accountId, request.params.id);
			return success;
		},
	);
}
