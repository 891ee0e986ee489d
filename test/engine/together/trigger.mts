import '../trigger/watching.mts';
import { runTogether } from './together.mts';

runTogether('trigger');
