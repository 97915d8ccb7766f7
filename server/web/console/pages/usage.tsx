import { Alert, Paper, Progress, Text, Title } from '@mantine/core';
import type { Allowance, UsageResponse } from '../../../src/contract/console/history.ts';
import { Page } from '../components/page.tsx';
import { StackedBars, sumValues, type Stack } from '../components/charts.tsx';
import { useData } from '../hooks/use-data.ts';
import { dateTimeText, numberText } from '../locale.ts';

const FEATURES: Record<string, string> = {
	notifications: 'Push notifications',
	badges: 'App icon badge',
	'live-activities': 'Live Activities',
	metrics: 'Metrics',
	lists: 'Lists',
	images: 'Pictures',
	questions: 'Questions (reading, waiting, withdrawing)',
	triggers: 'Triggers (listening)',
	mcp: 'Tool calls of agents',
};

const HOURS = 48;
const HOUR_MS = 3_600_000;

/** Grouped by the action a person has to take. */
const KINDS = [
	{ kind: 'ok', name: 'Successful', holds: (status: number) => status < 400 },
	{ kind: 'limited', name: 'Rate-limited (429)', holds: (status: number) => status === 429 },
	{
		kind: 'refused',
		name: 'Refused (4xx)',
		holds: (status: number) => status >= 400 && status < 500 && status !== 429,
	},
	{ kind: 'failed', name: 'Failed (5xx)', holds: (status: number) => status >= 500 },
];

export function Usage() {
	const { data, error } = useData('GET /usage');
	return (
		<Page
			title="Usage and limits"
			about="What your workflows have sent, and what they can still send."
			error={error}
			isLoading={!data}
		>
			{data && (
				<>
					<Title order={2} size="h4">
						Remaining this minute
					</Title>
					<div className="cards-grid is-small">
						{data.allowances.map((allowance) => (
							<AllowanceCard key={allowance.feature} {...allowance} window={data.window_seconds} />
						))}
					</div>
					<Title order={2} size="h4">
						Requests per hour
					</Title>
					<Requests requests={data.requests} />
					<Plan usage={data} />
				</>
			)}
		</Page>
	);
}

function AllowanceCard({ window, ...allowance }: Allowance & { window: number }) {
	const { feature, quota, remaining, reset_seconds: seconds } = allowance;
	const name = FEATURES[feature] ?? feature;
	return (
		<Paper withBorder p="md">
			<Text size="sm">{name}</Text>
			<Text className="allowance">
				{numberText(remaining)} <small>of {numberText(quota)}</small>
			</Text>
			<Progress
				value={(remaining / quota) * 100}
				color={remaining === 0 ? 'red' : 'violet'}
				aria-label={`${name}: ${remaining} of ${quota} left`}
			/>
			<Text size="xs" c="dimmed" mt={6}>
				{remaining === quota ? `Per ${window} s` : `Resets in ${seconds} s`}
			</Text>
		</Paper>
	);
}

function Requests({ requests }: { requests: UsageResponse['requests'] }) {
	const last = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
	const stacks: Stack[] = Array.from({ length: HOURS }, (_, index) => {
		const hour = last - (HOURS - 1 - index) * HOUR_MS;
		const ofHour = requests.filter((row) => Date.parse(row.hour) === hour);
		return {
			name: new Date(hour).toLocaleString(undefined, {
				weekday: 'short',
				hour: '2-digit',
				minute: '2-digit',
			}),
			parts: KINDS.map(({ kind, holds }) => ({
				kind,
				value: ofHour
					.filter((row) => holds(row.status))
					.reduce((sum, row) => sum + row.requests, 0),
			})),
		};
	});
	const total = (kind: string) =>
		sumValues(stacks.flatMap(({ parts }) => parts.filter((part) => part.kind === kind)));
	return (
		<Paper withBorder p="md">
			<StackedBars stacks={stacks} caption={`Requests in the last ${HOURS} hours by outcome`} />
			<ul className="legend">
				{KINDS.map(({ kind, name }) => (
					<li key={kind}>
						<span className="swatch" data-kind={kind} aria-hidden="true" />
						{name}: {numberText(total(kind))}
					</li>
				))}
			</ul>
		</Paper>
	);
}

const BLOCKED: Record<string, string> = {
	trial_expired: 'The trial has ended. Nothing is sent.',
	trial_exhausted: 'The trial’s sends are used up. Nothing is sent.',
	billing_overage_cap_reached: 'This month’s overage cap is reached. Nothing is sent.',
};

function Plan({ usage: { plan, limits } }: { usage: UsageResponse }) {
	const count = (value: number | null) => (value === null ? 'No limit' : numberText(value));
	return (
		<section aria-label="Plan">
			<Title order={2} size="h4">
				Plan
			</Title>
			{plan.blocked !== null && <Alert color="red">{BLOCKED[plan.blocked] ?? plan.blocked}</Alert>}
			<Paper withBorder p="md">
				<dl className="facts is-wide">
					<dt>Plan</dt>
					<dd>{plan.plan === 'trial' ? 'Trial' : 'Paid'}</dd>
					<dt>{plan.plan === 'trial' ? 'Sent in the trial' : 'Sent this month'}</dt>
					<dd>{numberText(plan.sends)}</dd>
					<dt>Included sends</dt>
					<dd>{count(plan.quota)}</dd>
					{plan.plan === 'paid' && (
						<>
							<dt>Overage cap</dt>
							<dd>{count(plan.overage_cap)}</dd>
						</>
					)}
					{plan.trial_ends_at !== null && (
						<>
							<dt>Trial ends</dt>
							<dd>{dateTimeText(plan.trial_ends_at)}</dd>
						</>
					)}
					<dt>Live Activities per phone at a time</dt>
					<dd>{limits.activities_per_device}</dd>
				</dl>
			</Paper>
		</section>
	);
}
