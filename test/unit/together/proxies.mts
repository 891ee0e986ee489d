import { runAsOne, testFiles } from '../../together.mts';

const names = ['actions', 'proxies', 'purchase', 'regionLabel.test.mts', 'run'];
runAsOne(names.flatMap((name) => testFiles(`unit/nodes/Kuaidaili/${name}`)));
