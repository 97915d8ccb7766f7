import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react';
import { useState } from 'react';
import type { FirstSteps as Steps } from '../../../src/contract/console/resources.ts';
import { senderNames } from '../../../src/contract/values.ts';
import { call } from '../api.ts';
import { useAction } from '../hooks/use-action.ts';
import { useData } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';
import { KeyOnce } from './copy.tsx';
import { PhoneStates } from './delivery-states.tsx';
import { Problem } from './page.tsx';
import { Pairing } from './pairing.tsx';

interface Step {
	name: keyof Steps;
	words: string;
	/** Instructions in one sentence. */
	hint: string;
	/** Where it is done; undefined: here. */
	action?: { words: string; href: string };
	/** Only an owner can do it. */
	ownersOnly?: true;
}

const STEPS: readonly Step[] = [
	{
		name: 'phone',
		words: 'Open Beckon on a phone',
		hint: 'Scan the code with its camera, or open it in this browser. No app to install.',
	},
	{
		name: 'notifications',
		words: 'Allow notifications',
		hint: 'On the phone’s page, so that messages arrive while it is closed.',
		action: { words: 'Show the phones', href: '#/devices' },
	},
	{
		name: 'sent',
		words: 'Send your first push',
		hint: 'Write it in the Playground and see it on the phone.',
		action: { words: 'Open the Playground', href: '#/playground?request=push' },
	},
	{
		name: 'workflow',
		words: 'Send from a workflow',
		hint: 'Create an API key, and paste it into the credential of n8n’s Beckon node.',
		ownersOnly: true,
	},
];

const OVER = 'beckon-first-steps-over';

/** The steps of the first day, each ticked once it is done. Gone after the last, or once hidden. */
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
	// An account past them at this browser's first visit never sees them.
	const [hasSeenOpen, setHasSeenOpen] = useState(false);
	if (!data) return null;
	const steps = STEPS.filter(({ ownersOnly }) => isOwner || !ownersOnly);
	const done = steps.filter(({ name }) => data[name]).length;
	const isDone = done === steps.length;
	if (!isDone && !hasSeenOpen) setHasSeenOpen(true);
	if (isDone && !hasSeenOpen) return null;
	return (
		<Paper className="first-steps" withBorder p="md" component="section" aria-label="First steps">
			<Group justify="space-between">
				<div>
					<Title order={2} size="h4">
						{isDone ? 'You are all set' : 'First steps'}
					</Title>
					<Text c="dimmed" size="sm" role="status">
						{done} of {steps.length} done
					</Text>
				</div>
				<Button variant="subtle" onClick={onOver}>
					{isDone ? 'Done' : 'Hide these steps'}
				</Button>
			</Group>
			<ol>
				{steps.map((step) => (
					<StepRow key={step.name} step={step} isDone={data[step.name]} />
				))}
			</ol>
			{data.sent && <LastPush />}
			{isOwner && (
				<Text size="sm">
					Not using n8n? <a href="#/keys?new=sender">Send from {senderNames('or')}</a> instead.
				</Text>
			)}
		</Paper>
	);
}

/** The key for n8n, to paste. Its step is done once something was sent with it. */
function FirstKey() {
	const create = useAction(() => call('POST /keys', { name: 'n8n' }));
	const [key, setKey] = useState<string>();
	if (key === undefined)
		return (
			<>
				<Problem message={create.error} />
				<Button
					variant="light"
					loading={create.isRunning}
					onClick={() => void create.run().then((made) => setKey(made?.key))}
				>
					Create an API key
				</Button>
			</>
		);
	return (
		<Stack>
			<KeyOnce value={key} />
			<Text size="sm" c="dimmed" role="status">
				Waiting for the first request with this key…
			</Text>
		</Stack>
	);
}

/** How the last push fared: the first one that arrived ends the first minute. */
function LastPush() {
	const { data } = useData('GET /history', { limit: 1 });
	const [last] = data?.entries ?? [];
	return (
		last && (
			<Group gap="xs" role="status">
				<Text size="sm">Sent last: {last.title}</Text>
				<PhoneStates phones={last.phones} />
			</Group>
		)
	);
}

function StepRow({ step: { name, words, hint, action }, isDone }: { step: Step; isDone: boolean }) {
	return (
		<li data-done={isDone}>
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
			{!isDone && action && (
				<Button component="a" variant="light" href={action.href}>
					{action.words}
				</Button>
			)}
			{!isDone && name === 'phone' && <Pairing onClose={() => undefined} />}
			{!isDone && name === 'workflow' && <FirstKey />}
		</li>
	);
}
