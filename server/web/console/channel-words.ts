import { isPhoneSlug } from '../../src/contract/values.ts';

/** The recipients of a message. @param everyone the words if it named no channels */
export function channelWords(slugs: readonly string[] | null, everyone: string): string {
	return slugs?.map((slug) => (isPhoneSlug(slug) ? 'One phone' : slug)).join(', ') ?? everyone;
}
