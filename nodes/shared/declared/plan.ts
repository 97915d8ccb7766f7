import {
	NodeHelpers,
	type IN8nRequestOperations,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
	type INodePropertyRouting,
	type INodeTypeDescription,
	type PostReceiveAction,
} from 'n8n-workflow';

import { isExpression } from './expressions';

/** The parts of a node's description that declare its requests. */
export type Declaration = Pick<INodeTypeDescription, 'properties' | 'version'>;

/** A shown field with a routing, and the place of its value among the parameters. */
export interface RoutedField {
	field: INodeProperties;
	parameter: string;
	/** False for a field that its collection offers, but that was not added. */
	isGiven: boolean;
}

/** The function, of the kinds that n8n allows, that makes a list's requests and gives its items. */
export type Pagination = Extract<
	IN8nRequestOperations['pagination'],
	(...args: never[]) => unknown
>;

/** The combined declaration of the shown fields. */
export interface Plan {
	/** The request of the chosen operation; undefined if the node has no such operation. */
	request: INodePropertyRouting['request'];
	fields: RoutedField[];
	pagination?: Pagination | undefined;
	postReceive: Array<Extract<PostReceiveAction, (...args: never[]) => unknown>>;
}

type Routed = INodeProperties | INodePropertyOptions;

/** The names of the parameters that decide which fields are shown. */
function collectConditions(fields: readonly INodeProperties[]): Set<string> {
	const names = fields.flatMap(({ displayOptions, options = [], type }) => [
		...Object.keys(displayOptions?.show ?? {}).map((name) => name.replace(/^\//, '')),
		...(type === 'collection' ? collectConditions(options as INodeProperties[]) : []),
	]);
	return new Set(names);
}

/**
 * Finds the plan of an item, given its parameters with their expressions resolved. Unless the parameters that
 * decide which fields are shown are expressions, it is the same for all items of a run and found once.
 */
export function createPlanner(
	declaration: Declaration,
	node: INode,
): (valueOf: (parameter: string) => unknown) => Plan {
	const conditions = [...collectConditions(declaration.properties)];
	const varying = conditions.filter((name) => isExpression(node.parameters[name]));
	const plans = new Map<string, Plan>();
	return (valueOf) => {
		const values = Object.fromEntries(varying.map((name) => [name, valueOf(name)]));
		const key = JSON.stringify(values);
		const plan = plans.get(key) ?? planWith(declaration, node, values as INodeParameters);
		plans.set(key, plan);
		return plan;
	};
}

/** @param values the resolved values of conditions that are expressions */
function planWith({ properties }: Declaration, node: INode, values: INodeParameters): Plan {
	const parameters = { ...node.parameters, ...values };
	const plan: Plan = { request: undefined, fields: [], postReceive: [] };
	const isShown = (routed: Routed) =>
		NodeHelpers.displayParameter(parameters, routed, node, null, parameters);

	for (const field of properties.filter(isShown)) {
		const { name, type, options = [] } = field;
		const value = parameters[name];
		if (field.routing) plan.fields.push({ field, parameter: name, isGiven: true });
		if (type === 'options') {
			const chosen = options.find((option) => 'value' in option && option.value === value);
			addChosen(plan, chosen as INodePropertyOptions | undefined);
		}
		if (type === 'collection') {
			for (const inside of (options as INodeProperties[]).filter(isShown)) {
				if (!inside.routing) continue;
				const parameter = `${name}.${inside.name}`;
				plan.fields.push({ field: inside, parameter, isGiven: isGiven(value, inside.name) });
			}
		}
	}
	return plan;
}

function addChosen(plan: Plan, option: INodePropertyOptions | undefined): void {
	const { request, send, operations, output } = option?.routing ?? {};
	if (request) plan.request = request;
	if (send?.paginate) plan.pagination = operations?.pagination as Pagination;
	plan.postReceive.push(...((output?.postReceive ?? []) as Plan['postReceive']));
}

/** True if a field was added to a collection; an expression may give the collection as a whole. */
function isGiven(collection: unknown, name: string): boolean {
	return isExpression(collection) || Object.keys(collection ?? {}).includes(name);
}
