import { checkLine } from './check-line.ts';
import { LINE_2 } from './support/lines.ts';

checkLine(LINE_2);
