import { runTogether } from './together.mts';

runTogether(['properties'], { part: 2, parts: 2 });
