import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { readEntries } from '../../../shared/declared/pages';
import { loadPage, type List } from './load';

/** Entries of a list that a person can look through; more are found by search or typed. */
const MAX_OPTIONS = 1000;

/** Pages searched at a time; scrolling down in the editor continues from there. */
const MAX_PAGES = 5;

const written = (what: string) =>
	`Switch the field to an expression and write their ${what}, separated by commas.`;

const BY_KEY = 'Choose By Key and enter the key.';

const byId = (what: string) => `Choose By ID and enter the ID of the ${what}.`;

const quoted = (value: string) => `={{ ${JSON.stringify(value).replace(/}/g, '\\u007d')} }}`;

/** n8n evaluates any text that begins with `=`, even in a list or as a cached name; such a text becomes a constant. */
const text = (value: unknown) => (typeof value === 'string' ? value.replace(/^=.*/s, quoted) : '');

/** An entry to choose: its name, with the key behind it unless they are the same. */
function toItem(name: unknown, key: unknown) {
	const value = text(key);
	return { name: ['', value].includes(text(name)) ? value : `${text(name)} (${value})`, value };
}

/** A method that lists everything. */
function listing(list: List, item: (entry: Record<string, unknown>) => INodePropertyOptions) {
	return async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const entries = await readEntries(MAX_OPTIONS, async (after) => loadPage(this, list, after));
		return entries.map(item);
	};
}

/** A method that lists, by key, the things that match what was typed. */
function searching(list: List, item: (entry: Record<string, unknown>) => INodeListSearchItems) {
	return async function (
		this: ILoadOptionsFunctions,
		filter = '',
		after?: string,
	): Promise<INodeListSearchResult> {
		const sought = filter.trim().toLowerCase();
		const results: INodeListSearchItems[] = [];
		let from = after;
		for (let pages = 0; pages < MAX_PAGES; pages += 1) {
			const { entries, next } = await loadPage(this, list, from);
			results.push(...entries.map(item).filter(({ name }) => name.toLowerCase().includes(sought)));
			from = next;
			if (from === undefined || results.length > 0) break;
		}
		return { results, ...(from !== undefined && { paginationToken: from }) };
	};
}

/** For fields with several values, by the names that the fields give. */
export const loadOptions = {
	getChannels: listing({ name: 'channels', instead: written('slugs') }, ({ slug, name }) =>
		toItem(name, slug),
	),
	getPeople: listing({ name: 'people', instead: written('names') }, ({ name }) =>
		toItem(name, name),
	),
};

/** For fields with one value: the things that the key may name. */
export const listSearch = {
	searchPhones: searching({ name: 'phones', instead: byId('phone') }, ({ slug, name, user }) => ({
		name: `${text(name)} (${text(user)})`,
		value: text(slug),
	})),
	searchMetrics: searching({ name: 'metrics', instead: BY_KEY }, ({ key, name }) =>
		toItem(name, key),
	),
	searchStreams: searching(
		{ path: '/live-activity/streams', name: 'streams', instead: BY_KEY },
		({ stream_key: key, title }) => toItem(title, key),
	),
	searchTriggers: searching(
		{ name: 'triggers', instead: byId('trigger') },
		({ trigger_id: id, name, listening }) => ({
			name:
				listening === true ? text(name) : `${text(name)} (not listening: publish or activate it)`,
			value: text(id),
		}),
	),
	searchQuestions: searching(
		{ name: 'questions', instead: byId('question') },
		({ title, question_id: id }) => ({ name: text(title), value: text(id) }),
	),
};
