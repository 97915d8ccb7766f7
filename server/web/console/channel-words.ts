import { isPhoneSlug } from '../../src/contract/values.ts';
import { numberText } from './locale.ts';

/** The recipients of a message. @param everyone the words if it named no channels */
export function channelWords(slugs: readonly string[] | null, everyone: string): string {
	return slugs?.map((slug) => (isPhoneSlug(slug) ? 'One phone' : slug)).join(', ') ?? everyone;
}

/** For example "1,991 phones". */
export function counted(count: number, one: string, many = `${one}s`): string {
	return `${numberText(count)} ${count === 1 ? one : many}`;
}

export const inPhones = (count: number) => counted(count, 'phone');
