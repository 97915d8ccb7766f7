import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { loadPage, type List } from './load';

/** Entries of a list that a person can look through; more are found by search or typed. */
const MAX_CHANNELS = 1000;

/** Pages searched at a time; scrolling down in the editor goes on from there. */
const MAX_PAGES = 5;

const CHANNELS: List = {
	path: '/channels',
	name: 'channels',
	instead: 'Switch the field to an expression and write their slugs, separated by commas.',
};

const PHONES: List = {
	path: '/phones',
	name: 'phones',
	instead: 'Choose By ID and enter the ID of the phone.',
};

const BY_KEY = 'Choose By Key and enter the key.';

const METRICS: List = { path: '/metrics', name: 'metrics', instead: BY_KEY };

const STREAMS: List = { path: '/live-activity/streams', name: 'streams', instead: BY_KEY };

const TRIGGERS: List = {
	path: '/triggers',
	name: 'triggers',
	instead: 'Choose By ID and enter the ID of the trigger.',
};

const text = (value: unknown) => (typeof value === 'string' ? value : '');

/** An entry to choose: its name, with the key behind it unless they are the same. */
function toItem(name: unknown, key: unknown) {
	const value = text(key);
	return { name: ['', value].includes(text(name)) ? value : `${text(name)} (${value})`, value };
}

/** The channels that the key may name, for the field Channels. */
export async function getChannels(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const options: INodePropertyOptions[] = [];
	let after: string | undefined;
	do {
		const { entries, next } = await loadPage(this, CHANNELS, after);
		options.push(...entries.map(({ slug, name }) => toItem(name, slug)));
		after = next;
	} while (after !== undefined && options.length < MAX_CHANNELS);
	return options;
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

/** The phones that the key may name, for the field Phone. */
export const searchPhones = searching(PHONES, ({ slug, name, user }) => ({
	name: `${text(name)} (${text(user)})`,
	value: text(slug),
}));

/** The metrics of the account, for the field Metric Key. */
export const searchMetrics = searching(METRICS, ({ key, name }) => toItem(name, key));

/** The streams that the key may update, for the field Stream Key. */
export const searchStreams = searching(STREAMS, ({ stream_key: key, title }) => toItem(title, key));

/** The workflows that a button can start, for the field Workflow. */
export const searchTriggers = searching(TRIGGERS, ({ trigger_id: id, name, listening }) => ({
	name: listening === true ? text(name) : `${text(name)} (not listening)`,
	value: text(id),
}));
