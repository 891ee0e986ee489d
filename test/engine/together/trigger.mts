import '../trigger/watching.mts';
import { runTogether } from './together.mts';

runTogether(['engine/trigger']);
