import { runTogether } from './together.mts';

runTogether(['engine/purchases'], { part: 2, parts: 2 });
