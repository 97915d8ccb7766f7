/** Names the thing a button acts on, for those who hear many buttons of the same words. */
export function Of({ name }: { name: string }) {
	return <span className="visually-hidden"> {name}</span>;
}
