/** Minutes a pairing code is valid. */
export const PAIR_CODE_MINUTES = 15;
