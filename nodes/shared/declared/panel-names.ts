import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
} from 'n8n-workflow';

import { camelCase } from '../fields/compact';
import type { FieldSource } from '../fields/field-reader';
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

/** A field, and the part of a path that lies inside it, such as `[1].url`. */
interface Found extends Pick<RoutedField, 'field' | 'parameter'> {
	inside: string;
}

/** The field that fills a place. Fields with a value win, then the one for the smallest part. */
function byPlace(fields: readonly RoutedField[], path: string): Found | undefined {
	const filling = fields
		.flatMap((routed) => filledBy(routed.field).map((place) => ({ ...routed, place })))
		.filter(({ place }) => isAtOrInside(path, place) || isAtOrInside(place, path))
		.sort((a, b) => Number(b.isGiven) - Number(a.isGiven) || b.place.length - a.place.length);
	const best = filling.find(({ place }) => isAtOrInside(path, place)) ?? filling[0];
	return best && { ...best, inside: path.slice(best.place.length) };
}

/** For values outside the request: the field whose parameter has the path's name. */
function byParameter({ properties }: Declaration, path: string): Found | undefined {
	const name = path.replace(/^options\./, '');
	const places = properties.flatMap(({ type, options, ...field }) => {
		const inside = type === 'collection' ? (options as INodeProperties[]) : [];
		return inside.map((one) => ({ field: one, parameter: `${field.name}.${one.name}` }));
	});
	const found = [...properties.map((field) => ({ field, parameter: field.name })), ...places].find(
		({ field }) => isAtOrInside(name, field.name),
	);
	return found && { ...found, inside: name.slice(found.field.name.length) };
}

/** Parts of a row in the request that a field of another name may fill. */
const FILLED_BY: Readonly<Record<string, string>> = { url: 'trigger', body: 'data' };

/** A field's name in the panel; for a part of a row, with the row's number: `Button 2: URL`. */
function labelOf({ field, parameter, inside }: Found, { valueOf }: FieldSource): string {
	const [, row, name = ''] = /^(?:\[(\d+)\])?\.?(.*)/.exec(inside) ?? [];
	const [group] = (field.options ?? []) as INodePropertyCollection[];
	if (field.type !== 'fixedCollection' || inside === '' || !group) return field.displayName;
	const values: unknown = [valueOf(`${parameter}.${group.name}`)].flat()[Number(row ?? 0)];
	const part = group.values.find(
		(value) =>
			[camelCase(name), FILLED_BY[name]].includes(value.name) &&
			NodeHelpers.displayParameter((values ?? {}) as INodeParameters, value, null, null),
	);
	const rowName = row === undefined ? field.displayName : `${group.displayName} ${Number(row) + 1}`;
	return part ? `${rowName}: ${part.displayName}` : rowName;
}

/** Matches names of other fields in a rule: after these words, or with underscores; not the values of a list. */
const OTHER_FIELDS =
	/(?<!must be one of .*)(?:(?<=\b(?:send|only|with) )[a-z]+\b|\b[a-z]+(?:_[a-z]+)+\b)/g;

/**
 * Names the fields of broken rules as the node's panel does, with the service's name in brackets:
 * `Button 2: URL (actions[1].url) must be an https URL`.
 * @param fields the shown ones, and those that a collection offers
 */
export function withPanelNames(
	issues: readonly Issue[],
	declaration: Declaration,
	fields: readonly RoutedField[],
	parameters: FieldSource,
): Issue[] {
	const nameOf = (path: string, shown = path) => {
		// The fields of a repeated push are nested in one more property.
		const found = byPlace(fields, path) ?? byPlace(fields, path.replace(/^push\./, ''));
		return found && `${labelOf(found, parameters)} (${shown})`;
	};
	return issues.map(({ path, message }) => {
		const parameter = byParameter(declaration, path);
		const name = nameOf(path) ?? (parameter && labelOf(parameter, parameters)) ?? path;
		const beside = path.replace(/[^.]*$/, '');
		const words = message.replace(OTHER_FIELDS, (other) =>
			beside + other === path ? other : (nameOf(beside + other, other) ?? other),
		);
		return { path, name, message: words };
	});
}
