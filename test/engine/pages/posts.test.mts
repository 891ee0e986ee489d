import type { PageFault } from '../../../sandbox/sandbox.mts';
import { RETRY } from '../support/nodeSettings.mts';
import { usePages } from './pageOpener.mts';

const { opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

/** The site does that to the next visitors. */
function siteDoes(me: ReturnType<typeof privateProxies>, fault: PageFault): void {
	me.sandbox.pages.faults.add(fault);
}

describe('what is sent', () => {
	it('is not sent again when the page may have it', async () => {
		const me = privateProxies();
		siteDoes(me, { answer: 'cut', path: '/echo' });
		const { error } = await me.open([me.securePage('/echo')], { method: 'POST', body: '{"a":1}' });
		expect(error?.description).toContain('may have received what was sent');
		expect(me.visits).toHaveLength(1);
	});

	it('is sent again when the proxy kept it', async () => {
		const me = privateProxies();
		me.sandbox.proxyFaults.add({ status: 454, orderId: me.orderId, times: 2 });
		const { items } = await me.open([me.securePage('/echo')], { method: 'POST', body: '{"a":1}' });
		expect(items[0].json.data).toMatchObject({ method: 'POST', body: '{"a":1}' });
		expect(me.visits).toHaveLength(1);
	});

	it.each([407, 441, 454, 460])(
		'is sent once where a page over http says %s itself',
		async (status) => {
			const me = privateProxies();
			const { error } = await me.open([me.page(`/status/${status}`)], {
				method: 'POST',
				body: '{}',
			});
			expect(error?.description).toContain('so it was not sent again');
			expect(me.visits).toHaveLength(1);
		},
	);

	it('arrives as it was typed, also where it is labelled JSON', async () => {
		const me = privateProxies();
		const headers = { values: [{ name: 'Content-Type', value: 'application/json' }] };
		const fields = { method: 'POST', bodyType: 'raw', headers };
		for (const body of ['plain text', ' {"a": 1} \n', '"x"']) {
			const { items } = await me.open([me.page('/echo')], { ...fields, body });
			expect(items[0].json.data).toMatchObject({ body });
		}
	});
});

describe('what was sent to a page is not sent again by Retry On Fail', () => {
	const POST = { method: 'POST', body: '{"a":1}' };
	const pathsOf = (me: ReturnType<typeof privateProxies>) =>
		me.visits.map(({ method, url }) => `${method} ${new URL(url).pathname}`);

	it.each<[string, PageFault]>([
		['answered with an error', { status: 500 }],
		['refused it', { status: 403 }],
		['broke off', { answer: 'cut' }],
		['never answered', { answer: 'hang' }],
	])('where the page %s', async (_what, fault) => {
		const me = privateProxies();
		siteDoes(me, { ...fault, path: '/echo', times: 1 });
		const options = { attemptTimeout: 2000 };
		const { error } = await me.open(
			[me.securePage('/echo')],
			{ ...POST, options },
			{ settings: RETRY },
		);
		expect(error?.description).toContain('so it was not sent again');
		expect(pathsOf(me)).toEqual(['POST /echo']);
	});

	it('where what came is not what Response Format says', async () => {
		const me = privateProxies();
		const form = { method: 'POST', bodyType: 'form', body: 'user=demo&password=demo' };
		const fields = { ...form, responseFormat: 'json' };
		const { error } = await me.open([me.page('/login')], fields, { settings: RETRY });
		expect(error?.message).toMatch(/^The page is not JSON/);
		expect(pathsOf(me).filter((path) => path.startsWith('POST'))).toEqual(['POST /login']);
	});

	it('where it is under way when another page ends the run', async () => {
		const me = privateProxies();
		siteDoes(me, { answer: 'hang', path: '/echo', times: 1 });
		const pages = [
			{ url: me.page('/echo'), ...POST },
			{ url: me.page('/status/404'), method: 'GET', body: '' },
			{ url: me.page('/echo'), ...POST },
		];
		const fields = {
			method: '={{ $json.method }}',
			body: '={{ $json.body }}',
			failedPages: 'error',
			options: { attemptTimeout: 2000 },
		};
		const { error } = await me.open(pages, fields, { settings: RETRY });
		expect(error?.description).toContain('so it was not sent again');
		expect(pathsOf(me).filter((path) => path.startsWith('POST'))).toHaveLength(2);
	});

	it('where it comes out, and another page is an error', async () => {
		const me = privateProxies();
		siteDoes(me, { status: 500, path: '/echo', times: 1 });
		const pages = [
			{ url: me.page('/echo'), ...POST, format: 'autodetect', failed: 'output' },
			{ url: me.page('/article'), method: 'GET', body: '', format: 'json', failed: 'error' },
		];
		const fields = {
			method: '={{ $json.method }}',
			body: '={{ $json.body }}',
			responseFormat: '={{ $json.format }}',
			failedPages: '={{ $json.failed }}',
		};
		const { error } = await me.open(pages, fields, { settings: RETRY });
		expect(error?.message).toMatch(/^The page is not JSON/);
		expect(pathsOf(me).filter((path) => path.startsWith('POST'))).toEqual(['POST /echo']);
	});

	it('but it is where a proxy kept it', async () => {
		const me = privateProxies();
		me.sandbox.proxyFaults.add({ status: 454, orderId: me.orderId, times: 1 });
		const fields = { ...POST, maxAttempts: 1 };
		const { items } = await me.open([me.securePage('/echo')], fields, { settings: RETRY });
		expect(items[0].json.data).toMatchObject({ method: 'POST' });
		expect(pathsOf(me)).toEqual(['POST /echo']);
	});
});
