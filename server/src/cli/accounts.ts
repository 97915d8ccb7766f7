import { z } from 'zod';
import { timeZone } from '../contract/quiet.ts';
import { displayName } from '../contract/text.ts';
import { addUser, removePerson } from '../service/people/people.ts';
import { changeAccount, createAccount, deleteAccount } from '../service/accounts/accounts.ts';
import { auditLog } from '../service/audit.ts';
import { createSetupLink } from '../service/people/join.ts';
import { removeMember } from '../service/people/members.ts';
import { isoTimeOrNull } from '../service/context.ts';
import { invalid, notFound } from '../service/refusal.ts';
import { listAccounts } from '../store/accounts/accounts.ts';
import { memberOfUser } from '../store/people/members.ts';
import { userByName, queryUsers } from '../store/people/users.ts';
import type { AccountRow } from '../store/schema.ts';
import { accountCommand, dataCommand, group, listing, optional, required } from './commands.ts';
import { publicUrl, setupLink, startAdvice } from './run.ts';

/** `none` rather than null, which commander would turn into an empty string. */
const count = z
	.string()
	.regex(/^(\d+|none)$/, 'Use a whole number, or none.')
	.transform((value) => (value === 'none' ? value : Number(value)));

const toLimit = (value: number | 'none') => (value === 'none' ? null : value);

const time = z
	.string()
	.transform(Date.parse)
	.refine((ms) => !Number.isNaN(ms), 'Use a date and time such as 2026-12-31T00:00:00Z.');

const email = z.string().regex(/^[^@\s]+@[^@\s]+$/, 'Use an email address.');

const PLAN = ['--plan <plan>', 'paid, or trial, which lasts 14 days'] as const;
const PLANS: ReadonlyArray<AccountRow['plan']> = ['paid', 'trial'];

function shown(account: AccountRow) {
	const { id, name, owner_email, plan, trial_ends_at, quota, overage_cap, time_zone } = account;
	const ends = isoTimeOrNull(trial_ends_at);
	return { id, name, owner_email, plan, trial_ends_at: ends, quota, overage_cap, time_zone };
}

const listed = (accounts: readonly AccountRow[]) =>
	listing(accounts.map(shown), { ID: 'id', NAME: 'name', OWNER: 'owner_email', PLAN: 'plan' });

/** More entries than a year has. */
const EVERYTHING = 1_000_000_000;

export const account = group('accounts', {
	create: dataCommand(
		'create an account, whose first user is named owner until someone sets up the console',
		{
			options: {
				name: required('--name <name>', 'name of the account', displayName),
				owner: required('--owner <email>', 'email address of the owner', email),
				plan: required<AccountRow['plan']>(...PLAN)
					.choices(PLANS)
					.default('paid'),
			},
			creates: true,
			run: async (context, options) => {
				const created = await createAccount(context, options);
				const { id, name } = created.account;
				return {
					json: { ...shown(created.account), user: created.user.name },
					lines: [`Account ${name} (${id}), with the user ${created.user.name}.`],
				};
			},
		},
	),
	list: dataCommand('list the accounts', {
		run: async (context) => listed(await listAccounts(context.database.read)),
	}),
	set: accountCommand('change the plan of an account, its limits and its time zone', {
		options: {
			plan: optional<AccountRow['plan']>(...PLAN).choices(PLANS),
			trialEnds: optional(
				'--trial-ends <time>',
				'when the trial ends, such as 2026-12-31T00:00:00Z',
				time,
			),
			quota: optional(
				'--quota <n>',
				'sends included, in the trial or each month; none: no limit',
				count,
			),
			overageCap: optional(
				'--overage-cap <n>',
				'sends that a paid plan may make beyond its quota; none: no cap',
				count,
			),
			timeZone: optional(
				'--time-zone <name>',
				'zone of the times in alerts, such as Europe/Berlin; otherwise UTC',
				timeZone,
			),
		},
		run: async (context, found, { plan, trialEnds, quota, overageCap, timeZone: zone }) => {
			const changed = await changeAccount(context, found, {
				...(plan && { plan }),
				...(trialEnds !== undefined && { trial_ends_at: trialEnds }),
				...(quota !== undefined && { quota: toLimit(quota) }),
				...(overageCap !== undefined && { overage_cap: toLimit(overageCap) }),
				...(zone !== undefined && { time_zone: zone }),
			});
			return { json: shown(changed), lines: listed([changed]).lines };
		},
	}),
	'audit-log': accountCommand('list who changed what in the account, newest first', {
		run: async (context, { id }) => {
			const { entries } = await auditLog(context, id, { limit: EVERYTHING });
			const columns = { AT: 'at', EVENT: 'event', WHAT: 'subject', ACTOR: 'actor' } as const;
			return listing(entries, {
				...columns,
				NAME: 'actor_name',
				ADDRESS: 'address',
				TIMES: 'times',
			});
		},
	}),
	delete: accountCommand(
		'delete an account with everything in it, for good; run it again if it was interrupted',
		{
			options: { confirm: required('--confirm <name>', 'the name of the account again') },
			run: async (context, found, { confirm }) => {
				if (confirm !== found.name)
					throw invalid('Not confirmed', `--confirm must be ${found.name}. Nothing was deleted.`);
				await deleteAccount(context, found);
				return { json: { deleted: found.id }, lines: [`Account ${found.name} is deleted.`] };
			},
		},
	),
	'setup-link': accountCommand(
		"print a link that makes one person the account's owner, or resets their password; works once, within a day",
		{
			options: {
				port: optional('--port <n>', 'port that the server listens on (setting BECKON_PORT)'),
				host: optional('--host <h>', 'address that the server listens on (setting BECKON_HOST)'),
			},
			run: async (context, found, options, config) => {
				const link = setupLink(publicUrl(config), await createSetupLink(context, found));
				const start = startAdvice(config, options);
				const note = 'For one person. Works once, within a day. Earlier links stop working.';
				const lines = [link, '', note, start ?? []].flat();
				return { json: { account: found.name, link }, lines };
			},
		},
	),
});

export const user = group('users of an account', {
	add: accountCommand(
		'add a user: a person; a channel that contains the user reaches all of their phones',
		{
			options: {
				name: required('--name <name>', 'name of the user', displayName),
				email: optional('--email <email>', 'email address of the user', email),
			},
			run: async (context, { id: accountId }, options) => {
				const { id, name, email: address } = await addUser(context, accountId, options);
				return { json: { id, name, email: address }, lines: [`User ${name}.`] };
			},
		},
	),
	remove: accountCommand('remove a user, their access to the console, and their phones', {
		options: { name: required('--name <name>', 'name of the user') },
		run: async (context, { id: accountId }, { name }) => {
			const found = await userByName(context.database.read, accountId, name);
			if (!found) throw notFound('User not found', `This account has no user named ${name}.`);
			const member = await memberOfUser(context.database.read, found.id);
			if (member) await removeMember(context, accountId, member.id);
			await removePerson(context, accountId, found.id);
			return { json: { removed: name }, lines: [`User ${name} is removed.`] };
		},
	}),
	list: accountCommand('list the users of an account', {
		run: async (context, { id: accountId }) => {
			const users = await queryUsers(context.database.read, accountId).execute();
			return listing(
				users.map(({ id, name, email: address }) => ({ id, name, email: address })),
				{ NAME: 'name', EMAIL: 'email' },
			);
		},
	}),
});
