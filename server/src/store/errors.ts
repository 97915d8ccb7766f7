/** A reason why the store cannot be opened, in words for the person who starts the server. */
export class StoreUnusableError extends Error {}
