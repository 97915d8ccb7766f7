import type { INodeProperties } from 'n8n-workflow';

import type { Issue } from '../fields/issues';
import type { Hook } from './hooks';
import type { Declaration, RoutedField } from './plan';

/** The places in the request that a field fills: `content_state.title`, or `{key}` of the url. */
function filledBy({ routing }: INodeProperties): string[] {
	const { property, preSend = [] } = routing?.send ?? {};
	const places = [property, ...preSend.map((hook) => (hook as Hook).fills)];
	return places.flatMap((place) => (place === undefined ? [] : [place.replace(/[{}]/g, '')]));
}

const isAtOrInside = (path: string, place: string) =>
	path === place || (path.startsWith(place) && /^[.[]/.test(path.slice(place.length)));

/** For values outside routed fields: finds the field by the names of its parameters. */
function byParameter({ properties }: Declaration, path: string): string | undefined {
	const names = path.split(/[.[]/);
	const inside = properties
		.filter(({ type }) => type === 'collection')
		.flatMap(({ options }) => options as INodeProperties[]);
	const isNamed = ({ name, type }: INodeProperties) =>
		type !== 'collection' && names.includes(name);
	return [...properties, ...inside].find(isNamed)?.displayName;
}

/**
 * Names the field of each broken rule as the node's panel does.
 * @param fields the shown ones
 */
export function withPanelNames(
	issues: readonly Issue[],
	declaration: Declaration,
	fields: readonly RoutedField[],
): Issue[] {
	return issues.map((issue) => {
		const filling = fields.find(({ field }) =>
			filledBy(field).some((place) => isAtOrInside(issue.path, place)),
		);
		const field = filling?.field.displayName ?? byParameter(declaration, issue.path);
		return { ...issue, ...(field !== undefined && { field }) };
	});
}
