import type { PageRequest } from '../../../../../nodes/Kuaidaili/pages/pageRequest.ts';
import { connectionError, open, pageRequest, type Reaction } from './fakePages.mts';

const HTTPS = 'https://site.example/page';
const POST = { method: 'POST', body: 'a=b' } as const;

/** What a page that fails after its only attempt says. */
async function descriptionOf(changes: Partial<PageRequest>, reaction: ReturnType<Reaction>) {
	const page = { url: HTTPS, maxAttempts: 1, attemptTimeoutMs: 50, ...changes };
	return (await open(page, () => reaction)).text;
}

const BROKEN = connectionError('ECONNRESET');
const BLOCKED = { status: 403, encrypted: true };
const NO_STATUSES = { retryIf: { ...pageRequest().retryIf, statuses: new Set<number>() } };

describe("a page that fails advises to raise 'Max Attempts'", () => {
	it.each<[string, Partial<PageRequest>, ReturnType<Reaction>]>([
		['when the connection broke', {}, BROKEN],
		['when the time was over', {}, 'silence'],
		['when the site blocked the proxy', {}, BLOCKED],
		['when what was to be sent reached nobody', POST, connectionError('ECONNREFUSED')],
	])('%s', async (_what, changes, reaction) => {
		expect(await descriptionOf(changes, reaction)).toContain("Raise 'Max Attempts'");
	});

	it.each<[string, Partial<PageRequest>, ReturnType<Reaction>]>([
		['what was sent may have arrived before the connection broke', POST, BROKEN],
		['what was sent may have arrived before the time was over', POST, 'silence'],
		['what was sent was refused', POST, BLOCKED],
		['there can be no more of them', { maxAttempts: 10 }, BROKEN],
		['the status of a block is not listed', NO_STATUSES, BLOCKED],
		['the page is too large', { maxBytes: 1 }, { body: 'xx' }],
		['the page is not there', {}, { status: 404, encrypted: true }],
		['no other proxy would help', {}, { status: 449, encrypted: false }],
	])('but not when %s', async (_what, changes, reaction) => {
		expect(await descriptionOf(changes, reaction)).not.toContain("'Max Attempts'");
	});
});

describe("a page that fails advises to list its status in 'Retry If'", () => {
	it.each([403, 418])('when %s is not there', async (status) => {
		const description = await descriptionOf(NO_STATUSES, { status, encrypted: true });
		expect(description).toContain("add the status to 'Retry If', 'Status Codes'");
	});

	it('but not when what was sent must not be sent again', async () => {
		const description = await descriptionOf(POST, { status: 418, encrypted: true });
		expect(description).toMatch(
			/so it was not sent again\. Check whether it did before you send it again\.$/,
		);
	});
});

it('a page that is blocked advises only what is not so already', async () => {
	const said = async (changes: Partial<PageRequest>) =>
		/Blocks are less likely with [^.]*/.exec(await descriptionOf(changes, BLOCKED))?.[0];
	expect(await said({ pagesAtATime: 1, pagesPerProxy: 1 })).toBeUndefined();
	expect(await said({ pagesAtATime: 1, pagesPerProxy: undefined })).toBeUndefined();
	expect(await said({ pagesAtATime: 5, pagesPerProxy: 1 })).not.toContain("'Pages per Proxy'");
	expect(await said({ pagesAtATime: 5, pagesPerProxy: 0 })).toContain("'Pages per Proxy' set to 1");
});

it.each<[string, Partial<PageRequest>, ReturnType<Reaction>]>([
	["'Attempt Timeout (Milliseconds)'", { attemptTimeoutMs: 600_000 }, connectionError('ETIMEDOUT')],
	[
		"'Max Page Size (MB)'",
		{ maxBytes: 500_000_000 },
		{ headers: { 'content-length': '500000001' } },
	],
])('a page does not advise to raise %s beyond its limit', async (field, changes, reaction) => {
	expect(await descriptionOf(changes, reaction)).not.toContain(field);
});

it.each(['Z_DATA_ERROR', 'Z_BUF_ERROR', 'ERR__ERROR_FORMAT_RESERVED', 'ZSTD_error_prefix_unknown'])(
	'a page that cannot be unpacked says so: %s',
	async (code) => {
		const broken = connectionError(code);
		expect(await descriptionOf({}, broken)).toMatch(
			/could not be read \(\w+\)\. Raise 'Max Attempts'.*'Accept-Encoding' with the value 'identity'/,
		);
		expect(await descriptionOf(POST, broken)).toMatch(/was not sent again\..*'Accept-Encoding'/);
	},
);
