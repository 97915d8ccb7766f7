import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { HistoryOutcome } from '../../../src/contract/console/history.ts';
import { useSetting } from '../hooks/use-data.ts';
import { manyChoices, typed } from './fields.tsx';
import { KINDS } from './history-kinds.ts';
import { ChoiceFilter, SearchField } from './search.tsx';

export const NO_FILTER = {
	search: '',
	tags: '',
	kind: '',
	channel: '',
	key: '',
	outcome: '',
	from: '',
	until: '',
	/** The cursor at the end of the page before it. */
	page: '',
};

const OUTCOMES: Array<{ value: HistoryOutcome; label: string }> = [
	{ value: 'failed', label: 'Failed' },
	{ value: 'unanswered', label: 'Unanswered' },
];

export type Filter = typeof NO_FILTER;

/** The filter as a query string; the same for a page and for the export. */
export function toQuery(filter: Omit<Filter, 'page'>): URLSearchParams {
	const { from, until, tags, search, kind, channel, key, outcome } = filter;
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries({ search, kind, channel, key, outcome }))
		if (value.trim() !== '') query.set(name, value.trim());
	const tagList = tags
		.toLowerCase()
		.split(/[\s,]+/)
		.filter((tag) => tag !== '');
	if (tagList.length > 0) query.set('tags', tagList.join(','));
	if (!Number.isNaN(Date.parse(from))) query.set('from', new Date(from).toISOString());
	if (!Number.isNaN(Date.parse(until))) query.set('until', new Date(until).toISOString());
	return query;
}

/** On a narrow screen, the others are behind a button. */
const SHOWN_FIRST = ['search', 'outcome', 'page'];

interface HistoryFiltersProps {
	filter: Filter;
	onChange: (part: Partial<Filter>) => void;
}

/** The history's filters; an entry must match all that are set. */
export function HistoryFilters({ filter, onChange }: HistoryFiltersProps) {
	const { data: channels } = useSetting('GET /channel-names');
	const { data: keys } = useSetting('GET /keys');
	// A filter that is set is never hidden.
	const [isOpen, setIsOpen] = useState(
		Object.entries(filter).some(([name, value]) => !SHOWN_FIRST.includes(name) && value !== ''),
	);
	const text = (name: keyof Filter) => typed(filter[name], (value) => onChange({ [name]: value }));
	const chosen = (name: keyof Filter, all: string) => ({
		all,
		value: filter[name],
		onChange: (value: string) => onChange({ [name]: value }),
	});
	return (
		<search className="filters">
			<SearchField
				className="filter-wide"
				placeholder="Text in any message"
				value={filter.search}
				onSearch={(search) => onChange({ search })}
			/>
			<ChoiceFilter label="Outcome" data={OUTCOMES} {...chosen('outcome', 'All outcomes')} />
			<Button
				className="more-filters"
				variant="default"
				aria-expanded={isOpen}
				onClick={() => setIsOpen(!isOpen)}
			>
				{isOpen ? 'Fewer filters' : 'More filters'}
			</Button>
			<TextInput label="Tags" placeholder="deploy, env:production" {...text('tags')} />
			<ChoiceFilter
				label="Kind"
				data={Object.entries(KINDS).map(([value, { name }]) => ({ value, label: name }))}
				{...chosen('kind', 'All kinds')}
			/>
			<ChoiceFilter
				label="Channel"
				data={channels?.map(({ slug, name }) => ({ value: slug, label: name })) ?? []}
				{...manyChoices(channels?.length ?? 0)}
				{...chosen('channel', 'All channels')}
			/>
			<ChoiceFilter
				label="Sent by"
				data={[
					{ value: 'console', label: 'This console' },
					...(keys?.map(({ id, name, last_four: end }) => ({
						value: id,
						label: `${name} (…${end})`,
					})) ?? []),
				]}
				{...chosen('key', 'All senders')}
			/>
			<TextInput label="From" type="datetime-local" {...text('from')} />
			<TextInput label="Until" type="datetime-local" {...text('until')} />
		</search>
	);
}
