/** A UUID (version 4). It need not be secret, only new: Hermes has no `crypto`. */
export function uuid(): string {
	const digit = (mask: number, set: number) =>
		((Math.floor(Math.random() * 16) & mask) | set).toString(16);
	return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replaceAll(/[xy]/g, (place) =>
		place === 'x' ? digit(15, 0) : digit(3, 8),
	);
}
