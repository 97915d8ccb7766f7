import type { Database } from './database.ts';

/**
 * A key that the server makes for itself: what is stored under `name`, or, the first time, what
 * `make` gives. Processes that ask at the same time get the same.
 */
export async function serverKey<T>(database: Database, name: string, make: () => T): Promise<T> {
	const stored = () =>
		database.read
			.selectFrom('server_keys')
			.select('value_json')
			.where('name', '=', name)
			.executeTakeFirst();
	let row = await stored();
	if (!row) {
		const value = JSON.stringify(make());
		await database.write(null, (db) =>
			db
				.insertInto('server_keys')
				.values({ name, value_json: value })
				.onConflict((conflict) => conflict.column('name').doNothing())
				.execute(),
		);
		row = await stored();
	}
	return JSON.parse(row?.value_json ?? 'null') as T;
}
