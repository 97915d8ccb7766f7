/** Names what a button acts on, for those who hear many buttons with the same words. */
export function Of({ name }: { name: string }) {
	return <span className="visually-hidden"> {name}</span>;
}
