import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { HistoryOutcome } from '../../../src/contract/console/history.ts';
import type { Address } from '../hooks/use-address.ts';
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

/** The history's filters; an entry must match all that are set. */
export function HistoryFilters({ values, field }: Pick<Address<Filter>, 'values' | 'field'>) {
	const { data: channels } = useSetting('GET /channel-names');
	const { data: keys } = useSetting('GET /keys');
	// A filter that is set is never hidden.
	const [isOpen, setIsOpen] = useState(
		Object.entries(values).some(([name, value]) => !SHOWN_FIRST.includes(name) && value !== ''),
	);
	const text = (name: keyof Filter) => typed(values[name], field(name).onChange);
	return (
		<search className="filters">
			<SearchField className="filter-wide" placeholder="Text in any message" {...field('search')} />
			<ChoiceFilter label="Outcome" all="All outcomes" data={OUTCOMES} {...field('outcome')} />
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
				all="All kinds"
				data={Object.entries(KINDS).map(([value, { name }]) => ({ value, label: name }))}
				{...field('kind')}
			/>
			<ChoiceFilter
				label="Channel"
				all="All channels"
				data={channels?.map(({ slug, name }) => ({ value: slug, label: name })) ?? []}
				{...manyChoices(channels?.length ?? 0)}
				{...field('channel')}
			/>
			<ChoiceFilter
				label="Sent by"
				all="All senders"
				data={[
					{ value: 'console', label: 'This console' },
					...(keys?.map(({ id, name, last_four: end }) => ({
						value: id,
						label: `${name} (…${end})`,
					})) ?? []),
				]}
				{...field('key')}
			/>
			<TextInput label="From" type="datetime-local" {...text('from')} />
			<TextInput label="Until" type="datetime-local" {...text('until')} />
		</search>
	);
}
