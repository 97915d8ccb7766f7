import { channelParams } from '../../contract/common.ts';
import { channelChange, channelRequest } from '../../contract/console/resources.ts';
import {
	changeChannel,
	channelsForConsole,
	createChannel,
	removeChannel,
} from '../../service/keys-and-channels/channels.ts';
import type { HttpParts } from '../parts.ts';
import { toSuccess } from '../success.ts';
import type { TypedApp } from '../typed-app.ts';
import { acting, requireVisitor } from './authentication.ts';

export function registerChannels(app: TypedApp, { context }: HttpParts): void {
	app.get('/channels', (request) => channelsForConsole(context, requireVisitor(request).accountId));
	app.post('/channels', { schema: { body: channelRequest } }, async (request) => {
		const { slug } = await createChannel(...acting(context, request), request.body);
		return { slug };
	});
	app.put(
		'/channels/:slug',
		{ schema: { params: channelParams, body: channelChange } },
		(request) =>
			changeChannel(...acting(context, request), request.params.slug, request.body).then(toSuccess),
	);
	app.delete('/channels/:slug', { schema: { params: channelParams } }, (request) =>
		removeChannel(...acting(context, request), request.params.slug).then(toSuccess),
	);
}
