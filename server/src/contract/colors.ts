/** Schema-free: the phone's page bundles this file. */
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
