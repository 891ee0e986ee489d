import { runAsOne, testFiles } from '../../together.mts';

const folders = ['bench', 'docs', 'e2e', 'operations', 'unit/scripts'];
const files = ['unit/architecture.test.mts', 'unit/nodes/nodes.test.mts'];
runAsOne([...folders, ...files].flatMap(testFiles));
