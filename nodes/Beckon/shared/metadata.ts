import { rowsOrJson } from './rows-or-json';

export const metadataField = rowsOrJson(
	'Metadata',
	'metadata',
	'Texts, numbers, true, false and null that are kept in the history and never sent to a phone',
);
