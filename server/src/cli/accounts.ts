import { type Command, InvalidArgumentError, Option } from 'commander';
import { givenName } from '../contract/text.ts';
import { addUser, listAccountUsers } from '../service/people/people.ts';
import { allAccounts, changeAccount, createAccount } from '../service/accounts/accounts.ts';
import { createSetupLink } from '../service/people/join.ts';
import { isoTimeOrNull } from '../service/context.ts';
import type { Account } from '../store/schema.ts';
import {
	type CommonOptions,
	fitting,
	ofAccount,
	type OfAccount,
	onAccount,
	onData,
	publicUrl,
	setupLink,
	startAdvice,
	table,
	withCommonOptions,
} from './run.ts';

/** `none` instead of null, which commander would turn into an empty string. */
function count(value: string): number | 'none' {
	if (value === 'none') return value;
	if (!/^\d+$/.test(value)) throw new InvalidArgumentError('Use a whole number, or none.');
	return Number(value);
}

const toLimit = (value: number | 'none') => (value === 'none' ? null : value);

function time(value: string): number {
	const ms = Date.parse(value);
	if (Number.isNaN(ms))
		throw new InvalidArgumentError('Use a date and time such as 2026-12-31T00:00:00Z.');
	return ms;
}

function email(value: string): string {
	if (!/^[^@\s]+@[^@\s]+$/.test(value)) throw new InvalidArgumentError('Use an email address.');
	return value;
}

const plan = () => new Option('--plan <plan>', 'paid, or trial').choices(['paid', 'trial']);

function shown(account: Account) {
	return {
		id: account.id,
		name: account.name,
		owner_email: account.owner_email,
		plan: account.plan,
		trial_ends_at: isoTimeOrNull(account.trial_ends_at),
		quota: account.quota,
		overage_cap: account.overage_cap,
	};
}

const HEADER = ['ID', 'NAME', 'OWNER', 'PLAN'];
const toRow = (account: Account) => [account.id, account.name, account.owner_email, account.plan];

export function addAccountCommands(program: Command): void {
	const account = program.command('account').description('accounts');

	withCommonOptions(
		account.command('create').description('create an account with its owner as first user'),
	)
		.requiredOption('--name <name>', 'name of the account', fitting(givenName))
		.requiredOption('--owner <email>', 'email address of the owner', email)
		.addOption(plan().default('paid'))
		.action((options: CommonOptions & { name: string; owner: string; plan: 'paid' | 'trial' }) =>
			onData(
				options,
				async (context) => {
					const created = await createAccount(context, options);
					return {
						json: { ...shown(created.account), user: created.user.name },
						lines: [
							`Account ${created.account.name} (${created.account.id}), with the user ${created.user.name}.`,
						],
					};
				},
				{ creates: true },
			),
		);

	withCommonOptions(account.command('list').description('list the accounts')).action(
		(options: CommonOptions) =>
			onData(options, async (context) => {
				const accounts = await allAccounts(context);
				return { json: accounts.map(shown), lines: table(HEADER, accounts.map(toRow)) };
			}),
	);

	ofAccount(account.command('set').description('change the plan of an account and its limits'))
		.addOption(plan())
		.option('--trial-ends <time>', 'when the trial ends, such as 2026-12-31T00:00:00Z', time)
		.option('--quota <n>', 'sends included, in the trial or each month; none: no limit', count)
		.option(
			'--overage-cap <n>',
			'sends that a paid plan may make beyond its quota; none: no cap',
			count,
		)
		.action(
			(
				options: OfAccount & {
					plan?: 'paid' | 'trial';
					trialEnds?: number;
					quota?: number | 'none';
					overageCap?: number | 'none';
				},
			) =>
				onAccount(options, async (context, found) => {
					const changed = await changeAccount(context, found, {
						...(options.plan && { plan: options.plan }),
						...(options.trialEnds !== undefined && { trial_ends_at: options.trialEnds }),
						...(options.quota !== undefined && { quota: toLimit(options.quota) }),
						...(options.overageCap !== undefined && { overage_cap: toLimit(options.overageCap) }),
					});
					return { json: shown(changed), lines: table(HEADER, [toRow(changed)]) };
				}),
		);

	ofAccount(
		account
			.command('setup-link')
			.description(
				"print a link that makes one person the account's owner, or sets their password anew",
			),
	)
		.option('--port <n>', 'port that the server listens on (setting BECKON_PORT)')
		.option('--host <h>', 'address that the server listens on (setting BECKON_HOST)')
		.action((options: OfAccount) =>
			onAccount(options, async (context, found, config) => {
				const link = setupLink(publicUrl(config), await createSetupLink(context, found));
				const start = startAdvice(config, options);
				return {
					json: { account: found.name, link },
					lines: [
						link,
						'',
						'For one person. Works once, within a day. Earlier links stop working.',
						...(start === undefined ? [] : [start]),
					],
				};
			}),
		);

	const user = program.command('user').description('users of an account');

	ofAccount(user.command('add').description('add a user: a person with phones'))
		.requiredOption('--name <name>', 'name of the user', fitting(givenName))
		.option('--email <email>', 'email address of the user', email)
		.action((options: OfAccount & { name: string; email?: string }) =>
			onAccount(options, async (context, { id }) => {
				const added = await addUser(context, id, options);
				return {
					json: { id: added.id, name: added.name, email: added.email },
					lines: [`User ${added.name}.`],
				};
			}),
		);

	ofAccount(user.command('list').description('list the users of an account')).action(
		(options: OfAccount) =>
			onAccount(options, async (context, { id: accountId }) => {
				const users = await listAccountUsers(context, accountId);
				return {
					json: users.map(({ id, name, email: address }) => ({ id, name, email: address })),
					lines: table(
						['NAME', 'EMAIL'],
						users.map((entry) => [entry.name, entry.email ?? '']),
					),
				};
			}),
	);
}
