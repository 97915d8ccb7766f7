/** Names what a button acts on, for screen readers: many buttons have the same text. */
export function Of({ name }: { name: string }) {
	return <span className="visually-hidden"> {name}</span>;
}
