import { n8nLogger } from '../support/n8nLogger.mts';
import { usePages, type PageOpener } from './pageOpener.mts';

const { opener } = usePages();

const tunnel = () => opener('tps', 'TPS');

function loginOf({ world: { theOrder } }: PageOpener) {
	if (!('login' in theOrder)) throw new Error('The order has no login');
	return theOrder.login;
}

describe('a long run', () => {
	it('says in the log every ten seconds how far it is', async () => {
		const me = opener('kpsSeveral', 'KPS');
		const info = jest.spyOn(n8nLogger, 'info');
		const urls = Array.from({ length: 5 }, () => me.page('/slow?ms=5000'));
		await me.open(urls, { options: { pagesAtATime: 1 } });
		const told = info.mock.calls
			.map(([text]) => String(text))
			.filter((text) => text.includes('pages'));
		info.mockRestore();
		expect(told).toEqual([
			expect.stringMatching(/^'Kuaidaili': [12] of 5 pages are done\.$/),
			expect.stringMatching(/^'Kuaidaili': [34] of 5 pages are done\.$/),
		]);
	});
});

it("n8n's log says at debug level why a page is tried again, and what it waits for", async () => {
	const me = tunnel();
	me.sandbox.proxyFaults.add({ status: 441, times: 2, orderId: me.orderId });
	const debug = jest.spyOn(n8nLogger, 'debug').mockReturnValue();
	const { error } = await me.open([me.page('/article?key=abc')]);
	const told = debug.mock.calls.map(([text]) => String(text));
	debug.mockRestore();
	expect(error).toBeUndefined();
	const ofPage = told.filter((text) => text.startsWith('Kuaidaili page of 127.0.0.1:'));
	expect(ofPage).toEqual(
		expect.arrayContaining([
			expect.stringMatching(/: another attempt, because the proxy refused: .*\(status 441\)$/),
			expect.stringMatching(/: a wait of 2\.\d s because the order allows no more requests$/),
		]),
	);
	expect(told.join()).not.toContain(loginOf(me).password);
	expect(told.join()).not.toContain('key=abc');
});
