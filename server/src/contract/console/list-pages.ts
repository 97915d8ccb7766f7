/** Phones on one page of the console's list. */
export const DEVICES_PER_PAGE = 24;
