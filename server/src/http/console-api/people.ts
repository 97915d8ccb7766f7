import { idParams } from '../../contract/console/members.ts';
import { mergeRequest, renameRequest, userRequest } from '../../contract/console/resources.ts';
import { addUser } from '../../service/administration/accounts.ts';
import {
	mergePerson,
	peopleForConsole,
	removePerson,
	renamePerson,
} from '../../service/console/people.ts';
import type { HttpParts } from '../parts.ts';
import type { TypedApp } from '../typed-app.ts';
import { actingContext, onlyOwner, requireVisitor } from './authentication.ts';
import { success } from './parts.ts';

/** People who have phones. Any member adds them; owners rename, merge and remove them. */
export function registerPeople(app: TypedApp, { context }: HttpParts): void {
	app.get('/users', (request) => peopleForConsole(context, requireVisitor(request).accountId));
	app.post('/users', { schema: { body: userRequest } }, async (request) => {
		const { name } = await addUser(context, requireVisitor(request).accountId, request.body);
		return { name };
	});
	app.put(
		'/users/:id',
		{ onRequest: onlyOwner, schema: { params: idParams, body: renameRequest } },
		async (request) => {
			const acting = actingContext(context, request);
			const { accountId } = requireVisitor(request);
			await renamePerson(acting, accountId, request.params.id, request.body.name);
			return success;
		},
	);
	app.post(
		'/users/:id/merge',
		{ onRequest: onlyOwner, schema: { params: idParams, body: mergeRequest } },
		async (request) => {
			const acting = actingContext(context, request);
			const { accountId } = requireVisitor(request);
			await mergePerson(acting, accountId, request.params.id, request.body.into);
			return success;
		},
	);
	app.delete(
		'/users/:id',
		{ onRequest: onlyOwner, schema: { params: idParams } },
		async (request) => {
			const { accountId } = requireVisitor(request);
			await removePerson(actingContext(context, request), accountId, request.params.id);
			return success;
		},
	);
}
