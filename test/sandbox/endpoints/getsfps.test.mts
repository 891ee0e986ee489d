import type { OverseasStaticProxyOrder } from '../../../sandbox/accounts/order.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import {
	askAs,
	codeOf,
	entriesOf,
	productOrder,
	startExtraction,
	type KeyName,
} from '../extracting.mts';
import { keepsTheExtractionRules } from './extractionRules.mts';

const PATH = '/api/getsfps';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startExtraction();
});

afterEach(() => sandbox.close());

const ask = (key: KeyName, parameters: Parameters = {}) =>
	askAs(sandbox.keys[key], { sandbox, host: 'baseUrl', path: PATH }, parameters);

function order(key: KeyName): OverseasStaticProxyOrder {
	const found = productOrder(sandbox, key);
	if (found.product !== 'SFPS') throw new Error(`"${key}" is another product`);
	return found;
}

keepsTheExtractionRules({
	path: PATH,
	host: 'baseUrl',
	keys: ['sfpsPackage', 'sfps'],
	parameters: {},
	entries: 3,
	form: /127(\.\d+){3}:\d{5}/,
});

it('a package: all addresses of the order, always the same', async () => {
	const entries = entriesOf(await ask('sfpsPackage'));
	for (const entry of entries) expect(entry).toMatch(/^127(\.\d+){3}:\d{5}$/);
	expect(entriesOf(await ask('sfpsPackage'))).toEqual(entries);
});

it('retail: each with a login of its own and its area, between colons', async () => {
	const entries = entriesOf(await ask('sfps'));
	expect(entries.map((entry) => entry.split(':').slice(2))).toEqual(
		order('sfps').proxies.map(({ area, login }) => [login?.username, login?.password, area]),
	);
	const [address, port] = String(entries[1]).split(':');
	expect(sandbox.orderProxies.find(`${address}:${port}`)).toMatchObject({
		area: 'JP',
		login: order('sfps').proxies[1]?.login,
	});
});

it('the area is a name, if that is the setting', async () => {
	sandbox.settings.overseasStaticArea = 'name';
	const names = entriesOf(await ask('sfps')).map((entry) => entry.split(':').at(-1));
	expect(names).toEqual(['美国', '日本', '英国']);
});

it('follows the order', async () => {
	order('sfps').proxies.push({ area: 'FR', login: { username: 'me', password: 'a:b@c' } });
	expect(entriesOf(await ask('sfps'))[3]).toMatch(/^127[\d.]+:\d{5}:me:a:b@c:FR$/);
	order('sfps').proxies = [];
	expect(codeOf(await ask('sfps'))).toBe(3);
});
