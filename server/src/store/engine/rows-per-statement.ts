/** Rows in groups small enough for SQLite's limit of 32,766 parameters in a statement. */
export const ROWS_PER_STATEMENT = 1_000;
