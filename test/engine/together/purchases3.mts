import { runTogether } from './together.mts';

runTogether('purchases', { part: 3, parts: 3 });
