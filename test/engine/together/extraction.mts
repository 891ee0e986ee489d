import { runTogether } from './together.mts';

runTogether('extraction');
