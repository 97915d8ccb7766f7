import type { Db, MemberRow, UserRow } from '../../store/schema.ts';
import { listMembers, memberOfUser, updateMember } from '../../store/people/members.ts';
import {
	insertUser,
	listUsers,
	listUsersEver,
	renameUser,
	userById,
	userByName,
} from '../../store/people/users.ts';
import { UNNAMED_OWNER } from '../accounts/accounts.ts';
import type { Context } from '../context.ts';
import { conflict, invalidField, type Refusal } from '../refusal.ts';
import { newId } from '../secrets.ts';

/** Includes blanks, joiners that print nothing, and characters missing from fonts. */
const INVISIBLE =
	/(?!\p{White_Space})[\p{C}\p{Default_Ignorable_Code_Point}\u2D7F\uFFFC\u{1107F}\u{16FE4}\u{1D159}\u{13441}\u{13442}]/gu;
/** The empty Braille pattern prints nothing either. */
const SPACES = /[\p{White_Space}\u2800]+/gu;

/** Scripts whose letters look the same: the Latin O, the Cyrillic О, the Armenian Օ. */
const SIMILAR_SCRIPTS =
	'Latin Greek Cyrillic Armenian Cherokee Coptic Lisu Canadian_Aboriginal Deseret Myanmar'
		.split(' ')
		.map((script) => new RegExp(`\\p{Script=${script}}`, 'u'));

/** UTF-16 units: 64 emoji. */
const MAX_SEEN = 128;

/** Dashes, apostrophes and other marks, also accents behind a space: they look alike, whatever their alphabet. */
const MARKS = / \p{M}|[\p{P}\p{Sk}\p{Lm}\u2212\uA78B\uA78C]/gu;

/** A name without invisible characters, and with marks and spaces unified. */
const toSeen = (name: string) =>
	name
		.normalize('NFKC')
		.replaceAll(INVISIBLE, '')
		.replaceAll(MARKS, '-')
		.replaceAll(SPACES, ' ')
		.trim();

/** Letters of other alphabets, small capitals and phonetic letters, with the letters that they look like. */
const LOOKALIKES = new Map(
	[
		['АВЕЅІЈКМНОРСТУХаеорсухіјѕһԁԛԝѵӏвкмнт', 'ABESIJKMHOPCTYXaeopcyxijshdqwvlbkmht'],
		['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγηικνορστυχω', 'ABEZHIKMNOPTYXaynikvopotuxw'],
		['ɡɑǀᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', 'galabcdeghijklmnoprstuvwyz'],
		['ԼՍՏՕզհյոսցօᗅᗷᑕᗞᖴᕼᒍᒪᗰᑭᖇᑌᐯ᙭', 'LUSOqhjnugoABCDFHJLMPRUVX'],
		['ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏴ', 'DRTiAJEWMHYGhZbRWSVSLCPKB'],
		['ⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲀⲂⲈⲟⲣⲥЬьгҮүӀԚԜѴҺԀԌ', 'HIKMNOPCTYXABEopcbbrYyIQWVhdG'],
		['ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ', 'BPDTGKJCZFMNLSRVHWXYAEIOU'],
		['یىکڪہھەٱエカニロタトハヘベペ', 'ييككههها工力二口夕卜八へべぺ'],
	].flatMap(([letters = '', others]) =>
		Array.from(letters, (letter, at) => [letter, others?.[at]] as const),
	),
);

const alike = (text: string) => text.replaceAll(/./gu, (char) => LOOKALIKES.get(char) ?? char);

/** Folds case through capitals, which unites ß, ẞ and ss. */
const folded = (text: string) => text.toLowerCase().toUpperCase().normalize('NFKC');

/**
 * Three forms of a name: names that people cannot tell apart share at least one. Lowercase letters and capitals have
 * different lookalikes, so one form folds case afterward and one beforehand. The last keeps case, and treats I, l and 1
 * as equal, and O and 0.
 */
const toForms = (name: string) => {
	const seen = toSeen(name);
	const look = alike(seen).replaceAll(/[I1|]/g, 'l').replaceAll('0', 'O');
	return [folded(alike(seen)), alike(folded(seen)), look];
};

/**
 * Requires a name that people can read, of a person or a phone. Names from before this rule stay.
 * @throws Refusal `invalid` without visible characters, or with a word that mixes the letters of scripts that look the same
 */
export function requireReadableName(name: string): void {
	const seen = toSeen(name);
	if (seen === '') throw invalidField('name', 'must contain visible characters');
	// Every name in the account is compared with it, and U+FDFA alone expands to 18 letters.
	if (seen.length > MAX_SEEN) throw invalidField('name', 'is too long with ligatures spelled out');
	// Parts of a word, as in IT-отдел, are words of their own: a hyphen separates them.
	const words = name.replaceAll(INVISIBLE, '').match(/[\p{L}\p{M}]+/gu) ?? [];
	const mixed = words.find(
		(word) => SIMILAR_SCRIPTS.filter((script) => script.test(word)).length > 1,
	);
	if (mixed === undefined) return;
	const message = `mixes letters of several alphabets in “${mixed}”; use one alphabet in each word`;
	throw invalidField('name', message);
}

interface NameUse {
	/** The person to be named; undefined: a new one. */
	person?: Pick<UserRow, 'id' | 'name'> | undefined;
	/** Makes the error for a name that another person has. */
	refuse?: (name: string) => Refusal;
	/**
	 * True if they choose it themselves: then it must not be that of a removed person either, whom senders may still
	 * name in `answerable_by`.
	 */
	isOwnChoice?: boolean;
}

/**
 * Requires a name for a person that nobody else in the account has, in whatever spelling.
 * @throws Refusal `invalid` for a name that cannot be read, `conflict` for one that is taken
 */
export async function requireFreeName(
	db: Db,
	accountId: string,
	name: string,
	{ person, refuse = nameTaken, isOwnChoice = false }: NameUse = {},
) {
	if (person?.name === name) return;
	requireReadableName(name);
	const forms = toForms(name);
	const users = await (isOwnChoice ? listUsersEver : listUsers)(db, accountId);
	const same = users.find(
		(user) => user.id !== person?.id && toForms(user.name).some((form, at) => form === forms[at]),
	);
	if (same) throw same.removed_at === null ? refuse(same.name) : nameOfRemoved(same.name);
}

/** A member is also a user with phones; the two share one name. */
function nameTaken(name: string): Refusal {
	return conflict(
		'Name in use',
		`There is already a person named ${name} in this account. Use another name, such as one with an initial. If that is you, an owner can merge the two afterward.`,
	);
}

function nameOfRemoved(name: string): Refusal {
	return conflict(
		'Name in use',
		`A person named ${name} was removed from this account. Use another name; if that is you, an owner can give you this one.`,
	);
}

/** An email address signs in one member of the server. */
export function emailInUse(): Refusal {
	return conflict(
		'Email address in use',
		'Someone with this email address can already sign in. Sign in, or ask an owner for a link that sets a new password.',
	);
}

/**
 * Finds the user whose phones belong to the new member. With a setup link: the one with the same name, or for
 * the first owner the one created with the account; otherwise a new one. An invited person chooses their own
 * name, and must not take over another person by choosing theirs.
 * @returns the user's id
 * @throws Refusal `conflict` when another member, or for an invitation another user, has the name
 */
export async function personOfNewMember(
	db: Db,
	context: Context,
	accountId: string,
	{ name, email }: { name: string; email: string },
	isInvited: boolean,
): Promise<string> {
	const same = isInvited ? undefined : await userByName(db, accountId, name);
	if (same && !(await memberOfUser(db, same.id))) return same.id;
	await requireFreeName(db, accountId, name, { isOwnChoice: isInvited });
	if ((await listMembers(db, accountId)).length === 0) {
		const first = await userByName(db, accountId, UNNAMED_OWNER);
		if (first) {
			await renameUser(db, first, name);
			return first.id;
		}
	}
	const created_at = context.now();
	const user = { id: newId('usr'), account_id: accountId, name, email, created_at };
	return (await insertUser(db, user)).id;
}

/**
 * Renames a member together with their user.
 * @param isOwnChoice whether the member does it
 * @throws Refusal `conflict` when another user has the name
 */
export async function nameMember(db: Db, member: MemberRow, name: string, isOwnChoice = false) {
	const person =
		member.user_id === null ? undefined : await userById(db, member.account_id, member.user_id);
	await requireFreeName(db, member.account_id, name, { person, isOwnChoice });
	if (person) await renameUser(db, person, name);
	await updateMember(db, member.id, { name });
}
