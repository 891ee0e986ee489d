import { runTogether } from './together.mts';

runTogether('engine/calls');
