/** Rows per statement, within SQLite's limit of 32,766 parameters. */
export const ROWS_PER_STATEMENT = 1_000;
