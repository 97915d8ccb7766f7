import {
	NodeHelpers,
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
export type Declaration = Pick<INodeTypeDescription, 'displayName' | 'properties'>;

/** A shown field with a routing, and the place of its value among the parameters. */
export interface RoutedField {
	field: INodeProperties;
	parameter: string;
	/** False for a field that its collection offers, but that was not added. */
	isGiven: boolean;
}

/** The combined declaration of the shown fields. */
export interface Plan {
	/** Of the chosen operation; undefined if the node has no such operation. */
	request: INodePropertyRouting['request'];
	fields: RoutedField[];
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
 * The fields that a run of a node shows. Unless the parameters that decide this are expressions, the
 * plan is the same for all items and found once.
 */
export class Plans {
	private readonly declaration: Declaration;

	private readonly node: INode;

	/** Conditions that are expressions. */
	private readonly varying: string[];

	/** By the values of the varying conditions. */
	private readonly plans = new Map<string, Plan>();

	constructor(declaration: Declaration, node: INode) {
		this.declaration = declaration;
		this.node = node;
		const conditions = [...collectConditions(declaration.properties)];
		this.varying = conditions.filter((name) => isExpression(node.parameters[name]));
	}

	/** @param valueOf the parameter's value for one item, its expressions resolved */
	planFor(valueOf: (parameter: string) => unknown): Plan {
		const values = Object.fromEntries(this.varying.map((name) => [name, valueOf(name)]));
		const key = JSON.stringify(values);
		const plan = this.plans.get(key) ?? this.planWith(values as INodeParameters);
		this.plans.set(key, plan);
		return plan;
	}

	private planWith(values: INodeParameters): Plan {
		const parameters = { ...this.node.parameters, ...values };
		const plan: Plan = { request: undefined, fields: [], postReceive: [] };
		const isShown = (routed: Routed) =>
			NodeHelpers.displayParameter(parameters, routed, this.node, null, parameters);

		for (const field of this.declaration.properties.filter(isShown)) {
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
}

function addChosen(plan: Plan, option: INodePropertyOptions | undefined): void {
	const { request, output } = option?.routing ?? {};
	if (request) plan.request = request;
	plan.postReceive.push(...((output?.postReceive ?? []) as Plan['postReceive']));
}

/** True if a field was added to a collection; an expression may give the collection as a whole. */
function isGiven(collection: unknown, name: string): boolean {
	return isExpression(collection) || Object.keys(collection ?? {}).includes(name);
}
