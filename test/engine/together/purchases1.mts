import { runTogether } from './together.mts';

runTogether(['engine/purchases'], { part: 1, parts: 2 });
