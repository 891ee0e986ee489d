import { runAsOne, testFiles } from '../../together.mts';

const folders = ['unit/credentials', 'unit/nodes/KuaidailiTrigger', 'unit/nodes/shared'];
runAsOne(folders.flatMap(testFiles));
