import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { checks, createReader } from '../../shared/declared/hooks';
import { pageIn, pathOfPage, readEntries } from '../../shared/declared/pages';
import type { Pagination } from '../../shared/declared/plan';
import { successOnly } from '../../shared/declared/received';
import type { FieldReader } from '../../shared/fields/field-reader';
import { within } from '../../shared/fields/rules';
import { calls, field, numeric, sendsBy, shownFor, toggle } from './field';

/** n8n's own name for the operation that lists. */
export const GET_MANY = 'getAll';

const DEFAULT_LIMIT = 50;

const limitBounds = { minValue: 1, maxValue: 1000, numberPrecision: 0 };

function readLimit(read: FieldReader): number {
	if (read.flag('returnAll', 'returnAll') === true) return Infinity;
	return read.wholeNumber('limit', 'limit', within(limitBounds)) ?? DEFAULT_LIMIT;
}

/** An item for each entry of a list. @param name of the list in the answer */
const entriesOf = (name: string): Pagination =>
	async function (request) {
		const { url = '' } = request.options;
		const entries = await readEntries(readLimit(createReader(this)), async (after) => {
			const options = { ...request.options, url: pathOfPage(url, after) };
			const [item] = await this.makeRoutingRequest({ ...request, options });
			return pageIn(item?.json ?? {}, name);
		});
		return entries.map((json) => ({ json }));
	};

/** The operation that lists. @param name of the list in the answer, if it differs from `many` */
export const getMany = (
	many: string,
	description: string,
	url: string,
	name = many,
): INodePropertyOptions => ({
	name: 'Get Many',
	value: GET_MANY,
	action: `Get many ${many}`,
	description,
	routing: {
		...calls('GET', url, [successOnly()]),
		send: { paginate: true },
		operations: { pagination: entriesOf(name) },
	},
});

export const limitFields: INodeProperties[] = shownFor({ operation: [GET_MANY] }, [
	field('Return All', 'returnAll', {
		description: 'Whether to return all results or only up to a given limit',
		...toggle(false),
	}),
	field('Limit', 'limit', {
		description: 'Max number of results to return',
		...numeric(limitBounds, DEFAULT_LIMIT),
		displayOptions: { show: { returnAll: [false] } },
		...sendsBy(checks(readLimit)),
	}),
]);
