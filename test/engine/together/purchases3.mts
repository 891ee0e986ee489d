import { runTogether } from './together.mts';

runTogether('engine/purchases', { part: 3, parts: 3 });
