import { isPhoneSlug } from '../../contract/values.ts';

const ID = 'dev_';
const SLUG = 'phone-';

/** The slug that stands for a phone. Ids are case-sensitive, slugs are not: it has the id's bytes as hexadecimal. */
export function toPhoneSlug(deviceId: string): string {
	return SLUG + Buffer.from(deviceId.slice(ID.length), 'base64url').toString('hex');
}

/** The id of the phone for which a slug stands; undefined for a channel. */
export function phoneNamedBy(slug: string): string | undefined {
	if (!isPhoneSlug(slug)) return undefined;
	return ID + Buffer.from(slug.slice(SLUG.length), 'hex').toString('base64url');
}
