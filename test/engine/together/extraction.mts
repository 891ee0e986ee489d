import { runTogether } from './together.mts';

runTogether('engine/extraction');
