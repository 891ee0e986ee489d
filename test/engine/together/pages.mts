import '../pages/pageOpener.mts';
import { runTogether } from './together.mts';

runTogether(['engine/pages']);
