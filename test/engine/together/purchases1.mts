import { runTogether } from './together.mts';

runTogether('purchases', { part: 1, parts: 3 });
