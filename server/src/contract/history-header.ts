/** Header of the answer to a request that sends: the id of its entry, in the console and `history show`. */
export const HISTORY_HEADER = 'Beckon-History-Id';
