import { runAsOne, testFiles } from '../../together.mts';

const folders = ['crawl', 'http', 'output', 'request', 'run'];
runAsOne(folders.flatMap((name) => testFiles(`unit/nodes/Kuaidaili/pages/${name}`)));
