import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { ask, startShop } from '../ordering.mts';

export const PATH = '/api/querykpscity';
export const SHARED = { serie: '1', model: 'STA', 'kps.max_bandwidth': '1' };
export const EXCLUSIVE = { serie: '2' };

export let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

export const query = (parameters: Parameters, key: keyof Sandbox['keys'] = 'account') =>
	ask(sandbox, PATH, sandbox.keys[key], parameters);
