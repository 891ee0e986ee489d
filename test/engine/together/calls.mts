import { runTogether } from './together.mts';

runTogether('calls');
