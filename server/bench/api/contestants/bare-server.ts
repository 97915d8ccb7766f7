import { fastify } from 'fastify';

export interface BareRoute {
	method: string;
	path: string;
	/** JSON schemas. */
	body: object | undefined;
	response: object;
	answer: object;
}

process.once('message', (routes: BareRoute[]) => {
	const app = fastify({
		ajv: { customOptions: { strict: false, coerceTypes: false, removeAdditional: false } },
	});
	for (const { method, path, body, response, answer } of routes) {
		app.route({
			method,
			url: path,
			schema: { ...(body && { body }), response: { 200: response } },
			handler: async () => answer,
		});
	}
	void app.listen({ host: '127.0.0.1', port: 0 }).then((url) => process.send?.({ url }));
});
process.on('disconnect', () => process.exit());
