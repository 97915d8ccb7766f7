import type { PeoplePage, PersonName, NamesQuery } from '../../contract/console/resources.ts';
import { channelsOfMembers } from '../../store/keys-and-channels/channels.ts';
import { devicesOfUser, markDeviceRemoved, markDisconnected } from '../../store/phones/devices.ts';
import { memberOfUser } from '../../store/people/members.ts';
import { countRows, listPage } from '../../store/list-pages.ts';
import type { Db, UserRow } from '../../store/schema.ts';
import {
	insertUser,
	markUserRemoved,
	mergeUsers,
	renameUser,
	userById,
	queryUsers,
} from '../../store/people/users.ts';
import { type ActingContext, record } from '../audit.ts';
import type { Context } from '../context.ts';
import { conflict, invalid, notFound } from '../refusal.ts';
import { newId } from '../secrets.ts';
import { toPhoneSlug } from '../sending/audience.ts';
import { nameMember, requireFreeName } from './names.ts';

/** A page of the people with phones, whether or not they can sign in. */
export async function peopleForConsole(context: Context, accountId: string, query: NamesQuery) {
	const { page, search } = query;
	const { database } = context;
	const list = (db: Db) => queryUsers(db, accountId, search);
	const { rows, ...found } = await listPage(database, page, list);
	const ids = rows.map(({ id }) => id);
	const channels = await database.readInTurn((db) => channelsOfMembers(db, ids));
	const people = rows.map(({ id, name, member, phones }) => ({
		id,
		name,
		member,
		phones,
		channels: channels.get(id) ?? [],
	}));
	const of = await database.readInTurn((db) => countRows(queryUsers(db, accountId)));
	return { people, ...found, of } satisfies PeoplePage;
}

/** All people by name, to choose from. */
export async function peopleNames({ database }: Context, accountId: string): Promise<PersonName[]> {
	const users = await database.readInTurn((db) => queryUsers(db, accountId).execute());
	return users.map(({ id, name, member }) => ({ id, name, signs_in: member !== null }));
}

/**
 * The connected phones of a person.
 * @throws Refusal `not_found`
 */
export async function phonesOfPerson(context: Context, accountId: string, id: string) {
	const { database } = context;
	const person = await requirePerson(database.read, accountId, id);
	const phones = await devicesOfUser(database.read, person.id);
	return phones
		.filter(({ status }) => status === 'active')
		.map((phone) => ({ slug: toPhoneSlug(phone.id), name: phone.name }));
}

/** @throws Refusal `conflict` when the account already has a user of this name, `invalid` when it cannot be read */
export function addUser(
	context: ActingContext,
	accountId: string,
	{ name, email }: { name: string; email?: string | undefined },
): Promise<UserRow> {
	const created_at = context.now();
	return context.database.write(accountId, async (db) => {
		await requireFreeName(db, accountId, name, {
			refuse: (taken) => conflict('User exists', `This account already has a user ${taken}.`),
		});
		await record(db, context, accountId, 'person_added', name);
		return insertUser(db, { id: newId('usr'), account_id: accountId, name, email, created_at });
	});
}

async function requirePerson(db: Db, accountId: string, id: string): Promise<UserRow> {
	const person = await userById(db, accountId, id);
	if (person) return person;
	throw notFound('Person not found', 'This account has no such person.');
}

/** Also renames the person's member, if any. @throws Refusal `not_found` or `conflict` */
export function renamePerson(context: ActingContext, accountId: string, id: string, name: string) {
	return context.database.write(accountId, async (db) => {
		const person = await requirePerson(db, accountId, id);
		const member = await memberOfUser(db, id);
		if (member) await nameMember(db, member, name);
		else {
			await requireFreeName(db, accountId, name, { person });
			await renameUser(db, person, name);
		}
		await record(db, context, accountId, 'person_renamed', `${person.name} → ${name}`);
	});
}

/**
 * Merges two people: the second gets the phones and channels of the first.
 * @throws Refusal `not_found`, `invalid` if both are the same, `conflict` if the first can sign in
 */
export function mergePerson(context: ActingContext, accountId: string, id: string, into: string) {
	return context.database.write(accountId, async (db) => {
		const person = await requirePerson(db, accountId, id);
		const other = await requirePerson(db, accountId, into);
		if (id === into) throw invalid('Same person', 'Choose another person to merge them with.');
		if (await memberOfUser(db, id))
			throw conflict(
				'Signs in',
				`${person.name} signs in to this console. Merge ${other.name} into ${person.name} instead, or remove the member first.`,
			);
		await mergeUsers(db, id, into);
		await record(db, context, accountId, 'person_merged', `${person.name} → ${other.name}`);
	});
}

/**
 * Removes a person and disconnects their phones; the history still names both.
 * @throws Refusal `not_found`, or `conflict` if they can sign in
 */
export async function removePerson(context: ActingContext, accountId: string, id: string) {
	const devices = await context.database.write(accountId, async (db) => {
		const person = await requirePerson(db, accountId, id);
		if (await memberOfUser(db, id))
			throw conflict(
				'Signs in',
				`${person.name} signs in to this console. Remove the member first.`,
			);
		const theirs = await devicesOfUser(db, id);
		for (const device of theirs) {
			await markDisconnected(db, device.id);
			await markDeviceRemoved(db, device.id, context.now());
		}
		await markUserRemoved(db, id, context.now());
		await record(db, context, accountId, 'person_removed', person.name);
		return theirs;
	});
	for (const device of devices) context.openPages.inboxChanged(device.id);
}
