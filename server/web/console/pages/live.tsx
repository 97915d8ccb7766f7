import { Button, Group, Text, Title } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import type { IdleStream, RunningActivity } from '../../../src/contract/console/resources.ts';
import { call } from '../api.ts';
import { channelWords, inPhones } from '../channel-words.ts';
import { Ago } from '../components/ago.tsx';
import { Empty, Page, Problem } from '../components/page.tsx';
import { SmallButton } from '../components/of.tsx';
import { ConfirmButton, SendButton } from '../components/dialogs.tsx';
import { FirstSteps } from '../components/first-steps.tsx';
import { ActivityPreview } from '../components/lock-screen-preview.tsx';
import { Pager } from '../components/pager.tsx';
import { useAction } from '../hooks/use-action.ts';
import { useAddress } from '../hooks/use-address.ts';
import { useData } from '../hooks/use-data.ts';

const FIRST_PAGES = { page: '', streams: '' };

export function Live() {
	const { settled, hrefTo } = useAddress(FIRST_PAGES);
	const pages = { page: settled.page || '1', streams_page: settled.streams || '1' };
	const { data, error } = useData('GET /live', pages);
	const clockOffset = data ? Date.parse(data.server_time) - Date.now() : 0;
	const isQuiet = data && data.total + data.streams_total === 0;
	return (
		<Page
			title="Live now"
			about="Live Activities running now, as the phones show them."
			error={error}
			isLoading={!data}
		>
			<FirstSteps />
			{isQuiet && (
				<Empty
					icon={<IconActivity size={28} />}
					title="Nothing is running"
					action={
						<Button component="a" href="#/playground?request=stream">
							Start one from the Playground
						</Button>
					}
				>
					A Live Activity appears here as soon as a workflow starts one.
				</Empty>
			)}
			{data && data.activities.length > 0 && (
				<h2 className="visually-hidden">Running Live Activities</h2>
			)}
			<div className="cards-grid is-live">
				{data?.activities.map((running) => (
					<RunningCard
						key={running.activity.activity_id}
						running={running}
						clockOffset={clockOffset}
					/>
				))}
			</div>
			{data && <Pager {...data} of="activities" hrefTo={hrefTo} />}
			{data && data.streams.length > 0 && (
				<>
					<Title order={2} size="h4">
						Paused or waiting Live Activities
					</Title>
					<div className="cards-grid is-live">
						{data.streams.map((stream) => (
							<QuietCard key={stream.stream_key} stream={stream} clockOffset={clockOffset} />
						))}
					</div>
					<Pager
						of="Live Activities"
						page={data.streams_page}
						total={data.streams_total}
						hrefTo={({ page }) => hrefTo({ streams: page })}
					/>
				</>
			)}
		</Page>
	);
}

function RunningCard({ running, clockOffset }: { running: RunningActivity; clockOffset: number }) {
	const { activity, channels, tags, devices } = running;
	const { stream_key: key, activity_id: id, content_state: state } = activity;
	const pause = useAction(() => call('POST /streams/:stream_key/pause', key ?? ''));
	return (
		<section className="live-card" aria-label={state.title}>
			<ActivityPreview activity={activity} clockOffset={clockOffset} />
			<Text size="sm" c="dimmed">
				{key === null ? 'Started manually' : <code>{key}</code>} · for {inPhones(devices)} · started{' '}
				<Ago at={activity.started_at} />
			</Text>
			<Text size="sm" c="dimmed" lineClamp={2}>
				{channelWords(channels, 'Every phone')}
				{tags.length > 0 && ` · ${tags.join(', ')}`}
			</Text>
			<Problem message={pause.error} />
			<Group gap="xs">
				{key !== null && (
					<SmallButton
						text="Pause"
						of={state.title}
						variant="light"
						loading={pause.isRunning}
						onClick={() => void pause.run()}
					/>
				)}
				<ConfirmButton
					label="End"
					of={state.title}
					question={`End ${state.title}?`}
					onConfirm={() =>
						key === null
							? call('POST /activities/:id/end', id)
							: call('DELETE /streams/:stream_key', key)
					}
				>
					It disappears from {inPhones(devices)} after a few minutes.
					{key !== null && ' Its next update starts it again.'}
				</ConfirmButton>
			</Group>
		</section>
	);
}

function QuietCard({ stream, clockOffset }: { stream: IdleStream; clockOffset: number }) {
	const { stream_key: key, paused_at: pausedAt, remembered, devices } = stream;
	const resume = useAction(() => call('POST /streams/:stream_key/resume', key));
	return (
		<section className="live-card is-quiet" aria-label={key}>
			{remembered && <ActivityPreview activity={remembered} clockOffset={clockOffset} />}
			<Text size="sm" c="dimmed">
				<code>{key}</code> ·{' '}
				{pausedAt === null ? (
					'nothing shown until its next update'
				) : (
					<>
						paused <Ago at={pausedAt} />; updates are kept, not sent
					</>
				)}
			</Text>
			<Problem message={resume.error} />
			<Group gap="xs">
				{pausedAt !== null && (
					<SendButton
						size="compact-sm"
						variant="light"
						label="Resume"
						preposition="for"
						of={key}
						phones={remembered && devices}
						isRunning={resume.isRunning}
						onSend={() => void resume.run()}
					/>
				)}
				<ConfirmButton
					label="Forget"
					of={key}
					question={`Forget the Live Activity ${key}?`}
					onConfirm={() => call('DELETE /streams/:stream_key', key)}
				>
					Its stored state is deleted. Its next update starts a new Live Activity.
				</ConfirmButton>
			</Group>
		</section>
	);
}
