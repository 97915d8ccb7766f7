import type {
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	INodeTypeDescription,
	NodeHelpers,
} from 'n8n-workflow';

type DisplayParameter = typeof NodeHelpers.displayParameter;

interface Sent {
	/** The property of the body, or the placeholder of the path. */
	property: string;
	field: string;
}

/** The values that a field declares to send: by a plain property, and by its hooks. */
function sentBy({ displayName, routing }: INodeProperties): Sent[] {
	const { property, preSend = [] } = routing?.send ?? {};
	const fills = preSend.map((hook) => (hook as { fills?: string }).fills);
	return [property, ...fills]
		.filter((name) => name !== undefined)
		.map((name) => ({ property: name, field: displayName }));
}

const ruling = ['resource', 'operation'];

/** True if some choice in the other fields shows this field for an operation. */
function canBeShown(
	show: DisplayParameter,
	properties: readonly INodeProperties[],
	field: INodeProperties,
	chosen: INodeParameters,
): boolean {
	const conditions = Object.entries(field.displayOptions?.show ?? {})
		.filter(([name]) => name !== '@version')
		.map(([name, values]) => [name.replace('/', ''), values] as const);
	const shown = Object.fromEntries(conditions.filter(([name]) => ruling.includes(name)));
	const others = conditions.map(([name]) => name).filter((name) => !ruling.includes(name));
	return (
		show(chosen, { ...field, displayOptions: { show: shown } }, null, null, chosen) &&
		others.every((name) =>
			properties.some(
				(other) => other.name === name && canBeShown(show, properties, other, chosen),
			),
		)
	);
}

function fieldsOf(properties: readonly INodeProperties[]): INodeProperties[] {
	return properties.flatMap((field) =>
		field.type === 'collection'
			? (field.options as INodeProperties[]).map((inside) => ({
					...inside,
					displayName: `${field.displayName} → ${inside.displayName}`,
					displayOptions: {
						show: { ...field.displayOptions?.show, ...inside.displayOptions?.show },
					},
				}))
			: [field],
	);
}

/** A field may be declared for several types; each place in the request is listed once. */
function toHeaderList(sent: readonly Sent[]): string {
	const byProperty = new Map<string, Set<string>>();
	for (const { property, field } of sent) {
		byProperty.set(property, (byProperty.get(property) ?? new Set()).add(field));
	}
	return [...byProperty]
		.map(([property, fields]) => `\`${property}\` ${[...fields].join(', ')}`)
		.join('<br>');
}

/**
 * The table "operation → request" for docs/node-requests.md, derived from a node's description.
 * @param show n8n's own display rule
 */
export function requestTable(
	{ properties }: Pick<INodeTypeDescription, 'properties'>,
	show: DisplayParameter,
): string {
	const resources = properties.find(({ name }) => name === 'resource');
	const nameOf = (value: unknown) =>
		(resources?.options as INodePropertyOptions[]).find((option) => option.value === value)?.name;
	const rows = properties
		.filter(({ name }) => name === 'operation')
		.flatMap((field) =>
			(field.options as INodePropertyOptions[]).map((operation) => {
				const resource = field.displayOptions?.show?.['resource']?.[0] as string;
				const chosen = { resource, operation: String(operation.value) };
				const { method, url, body } = operation.routing?.request ?? {};
				const always = body === undefined ? '' : `<br>always \`${JSON.stringify(body)}\``;
				const sent = fieldsOf(properties)
					.filter((candidate) => canBeShown(show, properties, candidate, chosen))
					.flatMap(sentBy);
				return `| ${nameOf(resource)}: ${operation.name} | \`${method} ${url}\`${always} | ${toHeaderList(sent)} |`;
			}),
		);
	return ['| Operation | Request | Where its fields go |', '| --- | --- | --- |', ...rows].join(
		'\n',
	);
}
