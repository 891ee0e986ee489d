import { runTogether } from './together.mts';

runTogether(['properties'], { part: 1, parts: 2 });
