/** Choices shown at once; of more, a person types a part of the name. */
const SHOWN = 50;

/** For a list with any number of choices. */
export function manyChoices(count: number): { searchable: boolean; limit: number } {
	return { searchable: count > SHOWN, limit: SHOWN };
}
