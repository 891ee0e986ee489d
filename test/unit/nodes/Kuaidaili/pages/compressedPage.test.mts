import type { PageRequest } from '../../../../../nodes/Kuaidaili/pages/pageRequest.ts';
import { inTurn, open, pageRequest } from './fakePages.mts';

describe('a page that is still compressed', () => {
	const packed = (encoding: string, status = 200) => ({
		status,
		headers: { 'content-encoding': encoding },
		body: Buffer.from('28b52ffd0b590000', 'hex'),
		encrypted: true,
	});

	it.each(['zstd', 'ZSTD', 'gzip, gzip', 'br, utf-8', 'x-gzip, identity', 'dcz'])(
		'fails, without a second proxy: %s',
		async (encoding) => {
			const { outcomes, faults, content, text } = await open({}, () => packed(encoding));
			expect(outcomes).toEqual(['proxyFailed 200']);
			expect(faults).toEqual([]);
			expect(content).toBeUndefined();
			expect(text).toMatch(/^The compressed content of the page could not be read\. /);
			expect(text).toContain(`the page came compressed as "${encoding}", which n8n cannot unpack`);
			expect(text).toContain("adding 'Accept-Encoding' with the value 'identity'");
		},
	);

	it('names the header that asked for it', async () => {
		const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' };
		const { text } = await open({ headers }, () => packed('zstd'));
		expect(text).toContain("Remove your own 'Accept-Encoding' from 'Headers'");
	});

	it('has no text that a rule could look for', async () => {
		const retryIf = { ...pageRequest().retryIf, lacks: ['</html>'], shorterThan: 1000 };
		const { outcomes } = await open({ retryIf }, () => packed('zstd'));
		expect(outcomes).toEqual(['proxyFailed 200']);
	});

	it('is refused all the same', async () => {
		const { outcomes, text } = await open({}, () => packed('zstd', 403));
		expect(outcomes).toEqual(['blocked 403', 'blocked 403', 'blocked 403']);
		expect(text).toContain('The site refused to show the page');
		const retryIf = { ...pageRequest().retryIf, statuses: new Set([200]) };
		const listed = await open({ retryIf }, inTurn(packed('zstd'), { status: 201, body: 'ok' }));
		expect(listed.outcomes[0]).toBe('blocked 200');
	});

	it('is named no longer than a line', async () => {
		const { text } = await open({}, () => packed(`zstd, ${'x'.repeat(5000)}`));
		expect(text).toContain('the page came compressed as "zstd, xxx');
		expect(text.length).toBeLessThan(1000);
	});

	it('has its status, but no text, where that is an error', async () => {
		const { outcomes, content } = await open({}, () => packed('zstd', 404));
		expect(outcomes).toEqual(['status 404']);
		expect(content).toBeUndefined();
	});

	it('leads where it redirects to', async () => {
		const { headers, ...rest } = packed('zstd', 302);
		const redirect = { ...rest, headers: { ...headers, location: '/next' } };
		const { content, url } = await open({}, inTurn(redirect, { body: 'ok' }));
		expect([url, content?.text]).toEqual(['http://site.example/next', 'ok']);
		const unfollowed = await open({ followRedirects: false }, () => redirect);
		expect(unfollowed.outcomes).toEqual(['opened 302']);
		expect(unfollowed.content?.hasReadableBody).toBe(false);
	});

	it.each(['identity', '', 'utf-8', 'none', 'aws-chunked'])(
		'is none where the encoding is "%s"',
		async (encoding) => {
			const { content } = await open({}, () => ({ ...packed(encoding), body: 'text' }));
			expect(content?.text).toBe('text');
		},
	);

	it.each<[string, Partial<PageRequest>, number]>([
		['of HEAD', { method: 'HEAD' }, 200],
		['of 204', {}, 204],
		['of 304', {}, 304],
		['that is empty', {}, 200],
	])('is none where there is nothing to unpack: an answer %s', async (_what, changes, status) => {
		const { outcomes } = await open(changes, () => ({ ...packed('zstd', status), body: '' }));
		expect(outcomes).toEqual([`opened ${status}`]);
	});
});
