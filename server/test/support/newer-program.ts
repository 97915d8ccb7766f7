import { migrations } from '../../src/store/migrations/index.ts';
import { NEXT, nextMigration } from './next-migration.ts';

/** The program as it would be after one more migration. */
migrations[NEXT] = nextMigration;
await import('../../src/main.ts');
