import { Button, Group, Paper, Select, Text, TextInput } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useState } from 'react';
import type { ConsoleMetric } from '../../../src/contract/console/resources.ts';
import type { MetricFormat } from '../../../src/contract/metrics.ts';
import { formatMetric } from '../../device/metric-format.ts';
import { call } from '../api.ts';
import { Ago } from '../components/ago.tsx';
import { NameField, typed } from '../components/fields.tsx';
import { SmallButton } from '../components/of.tsx';
import { AddButton, Empty, Page } from '../components/page.tsx';
import { toSlug } from '../components/new-channel.tsx';
import { Sparkline } from '../components/charts.tsx';
import { ConfirmButton, FormDialog } from '../components/dialogs.tsx';
import { Pager } from '../components/pager.tsx';
import { Selectable, SelectBox } from '../components/selection.tsx';
import { useAddress } from '../hooks/use-address.ts';
import { useData } from '../hooks/use-data.ts';

const FORMATS: Array<{ value: MetricFormat; label: string }> = [
	{ value: 'number', label: 'Number' },
	{ value: 'currency', label: 'Currency' },
	{ value: 'percent', label: 'Percent' },
	{ value: 'unit', label: 'Number with a unit' },
	{ value: 'string', label: 'Text' },
];

const FIRST_PAGE = { page: '' };

export function Metrics() {
	const { settled, hrefTo } = useAddress(FIRST_PAGE);
	const { data, error } = useData('GET /metrics', { page: settled.page || '1' });
	const [isCreating, setIsCreating] = useState(false);
	return (
		<Page
			title="Metrics"
			about="Values shown on the lock screen. A workflow sets them by their key."
			error={error}
			isLoading={!data}
			action={<AddButton text="New metric" onClick={() => setIsCreating(true)} />}
		>
			{data?.total === 0 && (
				<Empty
					icon={<IconGauge size={28} />}
					title="No metrics yet"
					action={<Button onClick={() => setIsCreating(true)}>Create the first metric</Button>}
				>
					Create one, then set its value from a workflow: every phone’s lock screen shows it.
				</Empty>
			)}
			<Selectable
				of={['metric']}
				shown={data?.metrics.map(({ key }) => key) ?? []}
				verb="Delete"
				act={(key) => call('DELETE /metrics/:key', key)}
				consequence={WHEN_DELETED}
			>
				<div className="cards-grid">
					{data?.metrics.map((metric) => (
						<MetricCard key={metric.key} metric={metric} />
					))}
				</div>
			</Selectable>
			{data && <Pager {...data} of="metrics" hrefTo={hrefTo} />}
			<MetricDialog opened={isCreating} onClose={() => setIsCreating(false)} />
		</Page>
	);
}

const WHEN_DELETED = 'Its values are deleted too. Requests to set it will be refused.';

function MetricCard({ metric }: { metric: ConsoleMetric }) {
	const { value, unit } = formatMetric(metric);
	const [isChanging, setIsChanging] = useState(false);
	const numbers = metric.recent
		.map((entry) => entry.value)
		.filter((entry) => typeof entry === 'number');
	return (
		<Paper withBorder p="md" component="article" aria-label={metric.name}>
			<Group gap={4} align="flex-start">
				<SelectBox ids={[metric.key]} name={metric.name} />
				<div className="grow">
					<Text fw={600}>{metric.name}</Text>
					<Text size="sm" c="dimmed">
						<code>{metric.key}</code>
					</Text>
				</div>
				<SmallButton text="Change" of={metric.name} onClick={() => setIsChanging(true)} />
				<ConfirmButton
					label="Delete"
					of={metric.name}
					question={`Delete ${metric.name}?`}
					onConfirm={() => call('DELETE /metrics/:key', metric.key)}
				>
					{WHEN_DELETED}
				</ConfirmButton>
			</Group>
			<p className="metric-value">
				{value}
				{unit && <small> {unit}</small>}
			</p>
			<Sparkline
				values={numbers}
				label={`The last ${numbers.length} values, from ${numbers[0]} to ${numbers.at(-1)}`}
			/>
			<Text size="sm" c="dimmed">
				{metric.measured_at === null ? (
					'No value yet'
				) : (
					<>
						Measured <Ago at={metric.measured_at} />
					</>
				)}
			</Text>
			{isChanging && <MetricDialog metric={metric} opened onClose={() => setIsChanging(false)} />}
		</Paper>
	);
}

interface MetricDialogProps {
	/** The one to change; undefined: a new one. */
	metric?: ConsoleMetric;
	opened: boolean;
	onClose: () => void;
}

function MetricDialog({ metric, opened, onClose }: MetricDialogProps) {
	const [name, setName] = useState(metric?.name ?? '');
	const [ownKey, setOwnKey] = useState<string>();
	const key = ownKey ?? toSlug(name).replaceAll('-', '.');
	const [format, setFormat] = useState<MetricFormat>(metric?.format ?? 'number');
	const [unit, setUnit] = useState(metric?.unit ?? '');
	const hasUnit = format === 'currency' || format === 'unit';
	const look = { name, format, ...(hasUnit && unit !== '' && { unit }) };
	return (
		<FormDialog
			title={metric ? `Change ${metric.name}` : 'New metric'}
			opened={opened}
			submit={metric ? 'Save' : 'Create'}
			onClose={onClose}
			onSubmit={() =>
				metric
					? call('PUT /metrics/:key', metric.key, look)
					: call('POST /metrics', { key, ...look })
			}
			onTaken={() => {
				if (metric) return;
				setOwnKey(undefined);
				setName('');
				setUnit('');
			}}
		>
			<NameField description="Shown on the lock screen." {...typed(name, setName)} />
			{!metric && (
				<TextInput
					label="Key"
					description="Used by workflows, such as revenue.today. Can’t be changed later."
					{...typed(key, setOwnKey)}
				/>
			)}
			<Select
				label="Format"
				data={FORMATS}
				value={format}
				allowDeselect={false}
				onChange={(value) => setFormat(value ?? 'number')}
			/>
			{hasUnit && (
				<TextInput
					label={format === 'currency' ? 'Currency' : 'Unit'}
					placeholder={format === 'currency' ? 'EUR' : 'ms'}
					{...typed(unit, setUnit)}
				/>
			)}
		</FormDialog>
	);
}
