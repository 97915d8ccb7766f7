import { fastify } from 'fastify';
import { type PushRequest, pushRequest } from '../../../../src/contract/push.ts';
import { openOwnTables } from './own-tables.ts';
import type { Store } from './store.ts';
import { openPostgres, openSqlite } from './two-tables.ts';

/**
 * The smallest server with the durability guarantee of a push: it authenticates, counts, checks by the contract,
 * and durably stores a message and a delivery for each phone before it answers. It has no history, channels,
 * quota or order, and delivers nothing.
 */
export interface MinimalSettings {
	/** Folder of the embedded store; undefined for PostgreSQL. */
	directory: string | undefined;
	databaseUrl: string;
	/** Keys of the accounts, each with one phone. */
	keys: string[];
	schema: Schema;
}

/** `own`: with Beckon's own tables, statements and decisions, in a store seeded beforehand. */
export type Schema = 'two' | 'own' | 'own, without secondary indexes';

async function serve({ directory, databaseUrl, keys, schema }: MinimalSettings): Promise<string> {
	if (schema !== 'two')
		return listen(
			await openOwnTables({ directory: directory ?? '', url: databaseUrl }, schema === 'own'),
		);
	if (directory === undefined) return listen(await openPostgres(databaseUrl, keys));
	return listen(openSqlite(directory, keys));
}

function listen<Caller>(store: Store<Caller>): Promise<string> {
	const app = fastify();
	app.setValidatorCompiler(() => (input) => {
		const parsed = pushRequest.safeParse(input);
		return parsed.success ? { value: parsed.data } : { error: parsed.error };
	});
	app.setSerializerCompiler(() => (data) => JSON.stringify(data));
	app.decorateRequest('caller', null);
	app.post<{ Body: PushRequest }>(
		'/api/push-notification',
		{
			schema: { body: {} },
			async onRequest(request, reply) {
				const key = request.headers.authorization?.slice('Bearer '.length) ?? '';
				const caller = await store.authenticate(key);
				if (caller === undefined) return reply.status(401).send({ error: 'Unauthorized' });
				request.setDecorator('caller', caller);
				return undefined;
			},
		},
		async (request) => {
			await store.store(request.getDecorator<Caller>('caller'), request.body);
			return {
				success: true,
				devices_notified: 1,
				users_notified: 1,
				effective_channel_slugs: null,
				timestamp: new Date().toISOString(),
			};
		},
	);
	return app.listen({ host: '127.0.0.1', port: 0 });
}

process.once('message', (settings: MinimalSettings) => {
	void serve(settings).then((url) => process.send?.({ url }));
});
process.on('disconnect', () => process.exit());
