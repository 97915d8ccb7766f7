import { Badge, Group, Modal, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { ConsoleMember, OpenLink, Role } from '../../../src/contract/console/members.ts';
import { fullTime } from '../../device/relative-time.ts';
import { call } from '../api.ts';
import { Ago } from '../components/ago.tsx';
import { CopyText } from '../components/copy.tsx';
import { typed } from '../components/fields.tsx';
import { SmallButton } from '../components/of.tsx';
import { PeopleWithPhones } from '../components/people.tsx';
import { AddButton, Page, Problem } from '../components/page.tsx';
import { ConfirmButton, FormDialog } from '../components/dialogs.tsx';
import { ListTable } from '../components/list-table.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useData } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';

const ROLES: Array<{ value: Role; label: string }> = [
	{ value: 'member', label: 'Member' },
	{ value: 'owner', label: 'Owner' },
];

const WHAT_ROLES_MAY =
	'Members can use everything and pair their own phones. Owners also manage keys, people and the plan.';

const LINKS_END = 'The links and pairing codes they created stop working.';

export function People() {
	const { data, error } = useData('GET /members');
	const { isOwner, origin } = useSession();
	const [isInviting, setIsInviting] = useState(false);
	const [link, setLink] = useState<{ url: string; words: string }>();
	return (
		<Page
			title="People"
			about={`Who can sign in to this console, and whose phones your workflows reach. ${WHAT_ROLES_MAY}`}
			error={error}
			isLoading={!data}
			action={isOwner && <AddButton text="Invite" onClick={() => setIsInviting(true)} />}
		>
			{data && (
				<section aria-labelledby="sign-ins">
					<Title order={2} size="h4" id="sign-ins" mb="sm">
						People who can sign in
					</Title>
					<ListTable
						label="People who can sign in"
						columns={['Name', 'Role', 'Last sign-in']}
						hasActions
					>
						{data.members.map((member) => (
							<MemberRow
								key={member.id}
								member={member}
								onReset={(token) =>
									setLink({
										url: `${origin}/console#reset=${token}`,
										words: `${member.name} can set a new password with this link once, within 24 hours. Earlier links stop working. You won’t see it again.`,
									})
								}
							/>
						))}
						{data.invitations.map((invitation) => (
							<LinkRow
								key={invitation.id}
								link={invitation}
								who={invitation.email ?? 'Anyone with the link'}
								made="Invited"
								what="invitation"
								role={invitation.role === 'owner' ? 'Owner' : 'Member'}
							/>
						))}
						{data.reset_links.map((reset) => (
							<LinkRow
								key={reset.id}
								link={reset}
								who={reset.member}
								made="Password reset link created"
								what="password reset link"
							/>
						))}
					</ListTable>
				</section>
			)}
			{data && <PeopleWithPhones />}
			<Invite
				opened={isInviting}
				onClose={() => setIsInviting(false)}
				onInvited={(token, email) =>
					setLink({
						url: `${origin}/console#invite=${token}`,
						words: `${email === '' ? 'Anyone with this link' : `Only ${email}`} can join with it once, within 7 days. You won’t see it again.`,
					})
				}
			/>
			<Modal opened={link !== undefined} onClose={() => setLink(undefined)} title="Send this link">
				<Stack>
					<CopyText value={link?.url ?? ''} label="Copy the link" />
					<Text size="sm" c="dimmed">
						{link?.words}
					</Text>
				</Stack>
			</Modal>
		</Page>
	);
}

interface LinkRowProps {
	link: OpenLink;
	who: string;
	made: string;
	what: string;
	role?: string;
}

/** A link that has not been used yet. */
function LinkRow({ link, who, made, what, role }: LinkRowProps) {
	const { isOwner } = useSession();
	return (
		<Table.Tr>
			<Table.Td>
				<Text size="sm">{who}</Text>
				<Text size="xs" c="dimmed">
					{made} by {link.created_by ?? 'the command line'}, works until {fullTime(link.expires_at)}
				</Text>
			</Table.Td>
			<Table.Td>{role}</Table.Td>
			<Table.Td>{role !== undefined && 'Not yet'}</Table.Td>
			<Table.Td ta="right">
				{isOwner && (
					<ConfirmButton
						label="Withdraw"
						of={`the ${what} for ${who}`}
						question={`Withdraw this ${what}?`}
						onConfirm={() => call('DELETE /invitations/:id', link.id)}
					>
						The link stops working.
					</ConfirmButton>
				)}
			</Table.Td>
		</Table.Tr>
	);
}

interface MemberRowProps {
	member: ConsoleMember;
	/** Receives the token of a link that sets the member's password. */
	onReset: (token: string) => void;
}

function MemberRow({ member, onReset }: MemberRowProps) {
	const { isOwner, member: me } = useSession();
	const reset = useAction(() => call('POST /members/:id/reset-link', member.id));
	const other: Role = member.role === 'owner' ? 'member' : 'owner';
	return (
		<Table.Tr>
			<Table.Td>
				<Text size="sm">
					{member.name} {member.id === me.id && <Badge variant="light">You</Badge>}
				</Text>
				<Text size="xs" c="dimmed">
					{member.email}
				</Text>
			</Table.Td>
			<Table.Td>{member.role === 'owner' ? 'Owner' : 'Member'}</Table.Td>
			<Table.Td>
				<Ago at={member.last_login_at} />
			</Table.Td>
			<Table.Td>
				{isOwner && member.id !== me.id && (
					<Group gap="xs" justify="flex-end">
						<Problem message={reset.error} />
						<SmallButton
							text="Reset password"
							of={`of ${member.name}`}
							loading={reset.isRunning}
							onClick={() => void reset.run().then((made) => made && onReset(made.token))}
						/>
						<ConfirmButton
							label={other === 'owner' ? 'Make owner' : 'Make member'}
							of={`(${member.name})`}
							question={`Make ${member.name} ${other === 'owner' ? 'an owner' : 'a member'}?`}
							onConfirm={() => call('PUT /members/:id', member.id, { role: other })}
						>
							{WHAT_ROLES_MAY} {other === 'member' && LINKS_END}
						</ConfirmButton>
						<ConfirmButton
							label="Remove"
							of={member.name}
							question={`Remove ${member.name}?`}
							onConfirm={() => call('DELETE /members/:id', member.id)}
						>
							They are signed out immediately. {LINKS_END} Their phones stay paired until you remove
							the person below, too.
						</ConfirmButton>
					</Group>
				)}
			</Table.Td>
		</Table.Tr>
	);
}

interface InviteProps {
	opened: boolean;
	onClose: () => void;
	/** @param email the only address it works for; empty: any */
	onInvited: (token: string, email: string) => void;
}

function Invite({ opened, onClose, onInvited }: InviteProps) {
	const [role, setRole] = useState<Role>('member');
	const [email, setEmail] = useState('');
	const invite = async () => {
		const answer = await call('POST /invitations', { role, ...(email !== '' && { email }) });
		onInvited(answer.token, email);
		return answer;
	};
	return (
		<FormDialog
			title="Invite a person"
			opened={opened}
			submit="Create link"
			onClose={onClose}
			onSubmit={invite}
			onTaken={() => {
				setRole('member');
				setEmail('');
			}}
		>
			<Select
				label="Role"
				description={WHAT_ROLES_MAY}
				data={ROLES}
				value={role}
				allowDeselect={false}
				onChange={(value) => setRole(value ?? 'member')}
			/>
			<TextInput
				label="Email address"
				description="Only this address can join with the link; if empty, anyone with it. Beckon sends no email."
				type="email"
				{...typed(email, setEmail)}
			/>
		</FormDialog>
	);
}
