import { runTogether } from './together.mts';

runTogether(['engine/calls', 'engine/editor', 'engine/extraction', 'engine/operations']);
