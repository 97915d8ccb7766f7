/** True for a value that n8n evaluates. */
export const isExpression = (value: unknown): boolean =>
	typeof value === 'string' && value.startsWith('=');

/** True if n8n evaluates the value, or anything inside it. */
export function hasExpression(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return isExpression(value);
	return Object.values(value).some(hasExpression);
}
