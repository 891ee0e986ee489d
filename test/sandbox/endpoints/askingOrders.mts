import type { KeyPair, Sandbox } from '../../../sandbox/sandbox.mts';
import { ask, startShop } from '../ordering.mts';

export const INFO = '/api/getorderinfo';

export let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

export const info = (keys: KeyPair, field_list?: string) =>
	ask(sandbox, INFO, keys, field_list === undefined ? {} : { field_list });
