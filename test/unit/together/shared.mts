import { runAsOne, testFiles, UNIT_GROUPS } from '../../together.mts';

runAsOne(UNIT_GROUPS.shared.flatMap(testFiles));
