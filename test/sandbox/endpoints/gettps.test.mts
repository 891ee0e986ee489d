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

describe.each([
	['/api/gettps', ['tps', 'tpsPayAsUsed', 'tpsMinute', 'tpsHour', 'tpsChannels'], 'tps'],
	['/api/gettpspro', ['tpsPro'], 'tps-pro'],
] as const)('%s', (path, [key, ...others], name) => {
	let sandbox: Sandbox;

	beforeEach(async () => {
		sandbox = await startExtraction();
	});

	afterEach(() => sandbox.close());

	const ask = (parameters: Parameters, as: KeyName = key) =>
		askAs(sandbox.keys[as], { sandbox, host: 'tpsUrl', path }, parameters);

	function order(as: KeyName = key) {
		const found = productOrder(sandbox, as);
		if (!('entrance' in found)) throw new Error(`"${as}" is no tunnel`);
		return found;
	}

	keepsTheExtractionRules({
		path,
		host: 'tpsUrl',
		keys: [key, ...others],
		parameters: { num: '1' },
		entries: 1,
		form: /[a-z\d.]+:\d{4,5}/,
	});

	it('is the name and the port of the entrance, always the same', async () => {
		order().entrance = { host: 'tps121.example.com', httpPort: '15818', socksPort: '20818' };
		for (const pt of [undefined, '1', '1']) {
			const reply = await ask(pt === undefined ? { num: '1' } : { num: '1', pt });
			expect(entriesOf(reply)).toEqual(['tps121.example.com:15818']);
		}
		expect(entriesOf(await ask({ num: '1', pt: '2' }))).toEqual(['tps121.example.com:20818']);
		expect(codeOf(await ask({ num: '1', pt: '3' }))).toBe(-3);
	});

	it('3: SOCKS where there is no port for it', async () => {
		order().entrance.socksPort = '';
		expect(codeOf(await ask({ num: '1', pt: '2' }))).toBe(3);
	});

	it('with the login, if a link asks for it', async () => {
		const at = 'h.example:1';
		const login = `sandbox-order-${name}-proxy-username:sandbox-order-${name}-proxy-password`;
		order().entrance = { host: 'h.example', httpPort: '1', socksPort: '2' };
		const entry = async (parameters: Parameters) =>
			entriesOf(await ask({ num: '1', ...parameters }))[0];
		expect(await entry({ f_auth: '1' })).toBe(`${at}:${login}`);
		expect(await entry({ generateType: '1' })).toBe(`${at}:${login}`);
		expect(await entry({ generateType: '2', f_auth: '1' })).toBe(`${at}@${login}`);
		expect(await entry({ generateType: '3' })).toBe(`${login}:${at}`);
		expect(await entry({ generateType: '4' })).toBe(`${login}@${at}`);
	});
});
