import { idParams } from '../../contract/console/members.ts';
import { mergeRequest, renameRequest, userRequest } from '../../contract/console/resources.ts';
import {
	addUser,
	mergePerson,
	peopleForConsole,
	removePerson,
	renamePerson,
} from '../../service/people/people.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { acting, onlyOwner, requireVisitor } from './authentication.ts';

/** People who have phones. Any member adds them; owners rename, merge and remove them. */
export function registerPeople(app: TypedApp, { context }: HttpParts): void {
	app.get('/users', (request) => peopleForConsole(context, requireVisitor(request).accountId));
	app.post('/users', { schema: { body: userRequest } }, async (request) => {
		const { name } = await addUser(...acting(context, request), request.body);
		return { name };
	});
	app.put(
		'/users/:id',
		{ onRequest: onlyOwner, schema: { params: idParams, body: renameRequest } },
		(request) =>
			renamePerson(...acting(context, request), request.params.id, request.body.name).then(
				toSuccess,
			),
	);
	app.post(
		'/users/:id/merge',
		{ onRequest: onlyOwner, schema: { params: idParams, body: mergeRequest } },
		(request) =>
			mergePerson(...acting(context, request), request.params.id, request.body.into).then(
				toSuccess,
			),
	);
	app.delete('/users/:id', { onRequest: onlyOwner, schema: { params: idParams } }, (request) =>
		removePerson(...acting(context, request), request.params.id).then(toSuccess),
	);
}
