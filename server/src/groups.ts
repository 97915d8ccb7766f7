/** Sets by key. A set that becomes empty is forgotten. */
export class Groups<T> extends Map<string, Set<T>> {
	/** @returns the group, with this as its last member unless it was one before */
	join(key: string, member: T): Set<T> {
		const group = this.get(key) ?? new Set<T>();
		this.set(key, group.add(member));
		return group;
	}

	leave(key: string, member: T): void {
		const group = this.get(key);
		if (group?.delete(member) && group.size === 0) this.delete(key);
	}

	/** The number of members of all groups. */
	get members(): number {
		let all = 0;
		for (const { size } of this.values()) all += size;
		return all;
	}
}
