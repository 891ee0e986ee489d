import { runTogether } from './together.mts';

runTogether('editor');
