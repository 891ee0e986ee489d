import { runAsOne, testFiles } from '../../together.mts';

runAsOne(testFiles('unit/nodes/Kuaidaili/pages/content'));
