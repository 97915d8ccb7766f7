import { type Kysely, sql } from 'kysely';

/** Indexes for what was found only by going through all that is kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
	// Whenever a message is deleted, what waits with it is looked for.
	await sql`
		create index activity_devices_queued on activity_devices (queued_message_id)
		where queued_message_id is not null`.execute(db);
	await sql`
		create index activities_outlived on activities (started_at)
		where ended_at is null`.execute(db);
	// Pushes on the lock screen of a phone that gets mostly Live Activities.
	await sql`
		create index deliveries_shown on deliveries (device_id, id)
		where lane is null and dismissed_at is null and muted = 0`.execute(db);
	// Which other device has what one registers.
	for (const name of ['push_token', 'push_to_start_token', 'push_subscription_json']) {
		const column = sql.ref(name);
		await sql`
			create index ${sql.id(`devices_by_${name}`)} on devices (${column})
			where ${column} is not null`.execute(db);
	}
}
