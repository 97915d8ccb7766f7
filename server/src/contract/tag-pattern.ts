/** A tag: 1 to 64 lowercase letters, digits, dashes, underscores, periods and colons. */
export const TAG_PATTERN = /^[a-z0-9._:-]{1,64}$/;
