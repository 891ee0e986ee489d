import {
	expectDistinctProxies,
	expectOwnProxies,
	expectProxyItem,
} from '../../demo/checks/proxyItems.mts';
import { readOptions } from '../../demo/options.mts';
import { Report } from '../../harness/checks/report.mts';

const proxyItem = (host: string, port = 8080) => ({
	json: {
		proxyUrl: `http://d1:a%3Ab@${host}:${port}`,
		address: `${host}:${port}`,
		...{ host, port, username: 'd1', password: 'a:b' },
		...{ secondsLeft: 180, expiresAt: '2026-06-18T04:21:43.000Z' },
	},
});
const answer = (address: string, item: number) => ({ json: { address }, pairedItem: { item } });

describe('The checks of the demo notice', () => {
	it.each([
		['a port that is text', { ...proxyItem('127.0.0.2').json, port: '8080' }],
		['a missing field', { ...proxyItem('127.0.0.2').json, proxyUrl: undefined }],
		['a field too many', { ...proxyItem('127.0.0.2').json, error: 'x' }],
		['a proxyUrl of another proxy', { ...proxyItem('127.0.0.2').json, proxyUrl: 'http://a:1' }],
		['another login', { ...proxyItem('127.0.0.2').json, password: 'other' }],
		['no time left', { ...proxyItem('127.0.0.2').json, secondsLeft: 0 }],
		['an end that is no time', { ...proxyItem('127.0.0.2').json, expiresAt: 'soon' }],
		['a host that is no address', proxyItem('999.0.0.1').json],
	])('%s', (_what, json) => {
		expect(() => expectProxyItem(proxyItem('127.0.0.2'))).not.toThrow();
		expect(() => expectProxyItem({ json })).toThrow();
	});

	it('a proxy that came twice', () => {
		const twice = [proxyItem('127.0.0.2'), proxyItem('127.0.0.3'), proxyItem('127.0.0.2')];
		expect(() => expectDistinctProxies(twice.slice(0, 2))).not.toThrow();
		expect(() => expectDistinctProxies(twice)).toThrow('127.0.0.2:8080');
	});

	it('requests that did not go through the proxy of their own item', () => {
		const proxies = [proxyItem('127.0.0.2'), proxyItem('127.0.0.3')];
		const good = [answer('127.0.0.3', 1), answer('127.0.0.2', 0)];
		const swapped = [answer('127.0.0.3', 0), answer('127.0.0.2', 1)];
		const direct = [answer('127.0.0.1', 0), answer('127.0.0.1', 1)];
		const sameItem = [answer('127.0.0.2', 0), answer('127.0.0.2', 0)];
		expect(() => expectOwnProxies(proxies, good)).not.toThrow();
		for (const answers of [swapped, direct, sameItem, []]) {
			expect(() => expectOwnProxies(proxies, answers)).toThrow();
		}
	});
});

describe('The report of the demo', () => {
	it('counts, gives reasons, and holds only when nothing failed', async () => {
		const lines: string[] = [];
		const report = new Report((line) => lines.push(line));
		await report.check('One holds', () => undefined);
		expect(report.finish()).toBe(true);
		await report.check('One does not', async () => {
			throw new Error('the reason');
		});
		expect(report.finish()).toBe(false);
		expect(lines).toEqual([
			'ok      One holds',
			'1 passed, 0 failed',
			'FAILED  One does not: the reason',
			'1 passed, 1 failed',
		]);
	});

	it('does not hold when nothing was checked', () => {
		expect(new Report(() => undefined).finish()).toBe(false);
	});
});

describe('The options of the demo', () => {
	it('are read in both spellings', () => {
		expect(readOptions([])).toEqual({ check: false, port: undefined, only: '' });
		expect(readOptions(['--check', '--port', '5700'])).toEqual({
			check: true,
			port: 5700,
			only: '',
		});
		expect(readOptions(['--port=5700'])).toEqual({ check: false, port: 5700, only: '' });
		expect(readOptions(['--check', '--only', 'Tunnel'])?.only).toBe('tunnel');
		expect(readOptions(['--help'])).toBeUndefined();
	});

	it.each([['--prot'], ['--port=0'], ['--port=70000'], ['--port=x'], ['--port'], ['--only']])(
		'refuse %s',
		(option) => {
			expect(() => readOptions([option])).toThrow();
		},
	);
});
