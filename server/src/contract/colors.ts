/** Without a schema: the phone's page bundles it. */
export const COLORS = [
	'lime',
	'green',
	'cyan',
	'blue',
	'purple',
	'magenta',
	'red',
	'orange',
	'yellow',
	'gray',
] as const;
