/** Run for each test file (jest.config.mjs): a worker evaluates it each time, and what it imports once. */
import './postgres.ts';
import './sqlite.ts';
