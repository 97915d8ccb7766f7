import { toProgram } from './cli/program.ts';

await toProgram().parseAsync();
