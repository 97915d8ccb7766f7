import { Button, Group, Paper, Text, Title } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react';
import { useState } from 'react';
import type { FirstSteps as Steps } from '../../../src/contract/console/resources.ts';
import { senderNames } from '../../../src/contract/values.ts';
import { useData } from '../hooks/use-data.ts';
import { useSession } from '../session.tsx';

interface Step {
	name: keyof Steps;
	words: string;
	/** Instructions in one sentence. */
	hint: string;
	action: { words: string; href: string };
	/** Only an owner can do it. */
	ownersOnly?: true;
}

const STEPS: readonly Step[] = [
	{
		name: 'phone',
		words: 'Open Beckon on a phone',
		hint: 'Pair a phone and scan the code. No app to install.',
		action: { words: 'Pair a phone', href: '#/devices?pair=open' },
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
		hint: 'Create an API key for the credential of n8n’s Beckon node.',
		action: { words: 'Create an API key', href: '#/keys?new=api' },
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
			{isOwner && (
				<Text size="sm">
					Not using n8n? <a href="#/keys?new=sender">Send from {senderNames('or')}</a> instead.
				</Text>
			)}
		</Paper>
	);
}

function StepRow({ step: { words, hint, action }, isDone }: { step: Step; isDone: boolean }) {
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
			{!isDone && (
				<Button component="a" variant="light" href={action.href}>
					{action.words}
				</Button>
			)}
		</li>
	);
}
