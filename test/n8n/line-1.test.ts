import { checkLine } from './check-line.ts';
import { LINE_1 } from './support/lines.ts';

checkLine(LINE_1);
