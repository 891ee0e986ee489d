import { runTogether } from './together.mts';

runTogether('purchases', { part: 2, parts: 3 });
