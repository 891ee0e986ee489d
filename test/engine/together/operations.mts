import { runTogether } from './together.mts';

runTogether('operations');
