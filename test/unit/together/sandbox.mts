import { runAsOne, testFiles } from '../../together.mts';

runAsOne(['sandbox', 'unit/harness', 'unit/live'].flatMap(testFiles));
