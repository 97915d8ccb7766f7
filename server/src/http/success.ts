/** The answer to a change with no other result: `changeSomething().then(toSuccess)`. */
export function toSuccess(): { success: true } {
	return { success: true };
}
