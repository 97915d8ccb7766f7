import type { INodeProperties } from 'n8n-workflow';

interface Hints {
	/** When a start needs the field, if not always. */
	condition?: string;
	/** The later effect of leaving it empty. */
	kept?: string;
	/** True if the editor marks it as required at a start. */
	isRequired?: boolean;
}

/**
 * A field that a start needs and later calls may leave empty. It is declared for starts, for later
 * calls, and for the operation that may be either, so no description mentions another.
 */
export function leftEmptyLater(
	field: INodeProperties & { description: string },
	{ condition = '', kept = 'keep it', isRequired = false }: Hints = {},
): INodeProperties[] {
	const forOperations = (operation: string[], hint: string): INodeProperties => ({
		...field,
		displayOptions: { show: { operation, ...field.displayOptions?.show } },
		description: `${field.description}. ${hint}`,
	});
	const needed = condition === '' ? 'Needed' : `Needed ${condition}`;
	return [
		{ ...forOperations(['start'], `${needed}.`), required: isRequired },
		forOperations(
			['upsert'],
			`${needed} when the Live Activity starts; later, leave empty to ${kept}.`,
		),
		forOperations(['update', 'end'], `Leave empty to ${kept}.`),
	];
}
