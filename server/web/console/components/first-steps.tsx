import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { senderNames } from '../../../src/contract/values.ts';
import { call } from '../api.ts';
import { useAction } from '../hooks/use-action.ts';
import { useData, useSetting } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';
import { KeyOnce } from './copy.tsx';
import { PhoneStates } from './delivery-states.tsx';
import { Problem } from './page.tsx';
import { Pairing } from './pairing.tsx';

const OVER = 'beckon-first-steps-over';

/** The steps of the first minute, each ticked once it is done. Disappears after the last one, or once it is hidden. */
export function FirstSteps() {
	const [isOver, setIsOver] = useState(() => localStorage.getItem(OVER) !== null);
	const finish = () => {
		localStorage.setItem(OVER, 'true');
		setIsOver(true);
	};
	return isOver ? null : <Checklist onOver={finish} />;
}

function Checklist({ onOver }: { onOver: () => void }) {
	const { isOwner } = useSession();
	const { data } = useData('GET /first-steps');
	const [hasSeenOpen, setHasSeenOpen] = useState(false);
	const steps = data && [true, data.phone, isOwner ? data.workflow : data.arrived];
	const isDone = steps?.every(Boolean);
	if (isDone === false && !hasSeenOpen) setHasSeenOpen(true);
	// An account past them at this browser's first visit never sees them.
	useEffect(() => {
		if (isDone && !hasSeenOpen) onOver();
	});
	if (!hasSeenOpen || !data || !steps) return null;
	const at = (index: number) => ({
		isDone: steps[index] === true,
		isNext: steps.indexOf(false) === index,
	});
	return (
		<Paper className="first-steps" withBorder p="md" component="section" aria-label="First steps">
			<Group justify="space-between">
				<div>
					<Title order={2} size="h4">
						{isDone ? 'You are all set' : 'First steps'}
					</Title>
					<Text c="dimmed" size="sm" role="status">
						{steps.filter(Boolean).length} of {steps.length} done
					</Text>
				</div>
				<Button variant="subtle" onClick={onOver}>
					{isDone ? 'Done' : 'Hide these steps'}
				</Button>
			</Group>
			<ol>
				<Step words="Set up your account" {...at(0)} />
				<Step
					words="Open Beckon on a phone, or in this browser"
					hint="Scan the code with the phone’s camera, or open it here. No app to install."
					{...at(1)}
				>
					<Pairing onClose={() => undefined} />
				</Step>
				{isOwner ? (
					<Step
						words="Send a push from n8n"
						hint="Create an API key, paste it into the credential of the Beckon node, and execute the node."
						{...at(2)}
					>
						<FirstKey />
					</Step>
				) : (
					<Step words="Send a push" hint="Write it in the Playground." {...at(2)}>
						<Button component="a" variant="light" href="#/playground?request=push">
							Open the Playground
						</Button>
					</Step>
				)}
			</ol>
			<Stack gap="xs">
				{data.last && (
					<Group gap="xs" align="flex-end" role="status">
						<Text size="sm">Last sent: {data.last.title}</Text>
						<PhoneStates phones={data.last.phones} />
					</Group>
				)}
				{data.phone && !data.notifications && (
					<Text size="sm">
						Messages arrive only while the phone’s page is open: allow notifications there.{' '}
						<a href="#/devices">Show the phones</a>
					</Text>
				)}
				{isOwner && !isDone && (
					<Text size="sm">
						Not using n8n? <a href="#/keys?new=sender">Send from {senderNames('or')}</a> instead, or{' '}
						<a href="#/playground?request=push">try the Playground</a>.
					</Text>
				)}
			</Stack>
		</Paper>
	);
}

interface StepProps {
	words: string;
	/** Instructions in a sentence or two. */
	hint?: string;
	isDone: boolean;
	/** True for the first step that is not done. */
	isNext: boolean;
	/** Controls with which to do it. */
	children?: ReactNode;
}

function Step({ words, hint, isDone, isNext, children }: StepProps) {
	return (
		<li data-done={isDone} aria-current={isNext ? 'step' : undefined}>
			{isDone ? <IconCircleCheckFilled aria-hidden /> : <IconCircleDashed aria-hidden />}
			<div className="grow">
				<Text fw={600}>
					{words}
					{isDone && <span className="visually-hidden"> (done)</span>}
				</Text>
				{!isDone && (
					<Text size="sm" c="dimmed">
						{hint}
					</Text>
				)}
			</div>
			{isNext && children}
		</li>
	);
}

/** The key for n8n, to paste. Its step is done once something that was sent with it has arrived. */
function FirstKey() {
	const { data: keys } = useSetting('GET /keys');
	const create = useAction(() => call('POST /keys', { name: 'n8n' }));
	const [key, setKey] = useState<string>();
	const last = keys?.findLast(({ sender, revoked_at: end }) => !sender && end === null);
	return (
		<Stack>
			<Problem message={create.error} />
			{key !== undefined && <KeyOnce value={key} />}
			{last && (
				<Text size="sm" c="dimmed" role="status">
					Waiting for the first push with the key …{last.last_four} to arrive.
				</Text>
			)}
			{key === undefined && (
				<Button
					loading={create.isRunning}
					onClick={() => void create.run().then((made) => setKey(made?.key))}
				>
					{last ? 'Create another API key' : 'Create an API key'}
				</Button>
			)}
		</Stack>
	);
}
