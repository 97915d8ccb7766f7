/** The titles of all pushes that a phone has received, oldest first. */
export async function titlesArrived(server: string, deviceToken: string): Promise<string[]> {
	const found: string[] = [];
	for (let after = 0; ;) {
		const answer = await fetch(`${server}/device/inbox?after=${after}`, {
			headers: { authorization: `Bearer ${deviceToken}` },
		});
		const { deliveries } = (await answer.json()) as {
			deliveries: Array<{ id: number; push: { title: string } }>;
		};
		if (deliveries.length === 0) return found;
		found.push(...deliveries.map(({ push }) => push.title));
		after = deliveries.at(-1)?.id ?? 0;
	}
}
