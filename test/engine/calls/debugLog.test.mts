import type { Fault } from '../../../sandbox/sandbox.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { useTestBed, type Extraction } from '../support/testBed.mts';

const bed = useTestBed();

/** Runs an extraction, and gives what it left in n8n's log at debug level. */
async function logged(faults: readonly Fault[], extraction: Extraction = {}) {
	const log = jest.spyOn(n8nLogger, 'debug').mockReturnValue();
	const { keys } = bed().newOrder(extraction.plan === 'regular' ? 'regular' : 'svip');
	bed().sandbox.faults.add(...faults);
	const run = await bed().extract({ credentialId: bed().addCredential(keys), ...extraction });
	const texts: readonly string[] = log.mock.calls.map(([text]) => text);
	log.mockRestore();
	expect(run.error).toBeUndefined();
	for (const secret of [keys.secretId, keys.secretKey]) expect(texts.join()).not.toContain(secret);
	return texts.filter((text) => text.startsWith('Kuaidaili '));
}

const ONCE = { times: 1 };

describe('at debug level, n8n logs', () => {
	it.each<[name: string, fault: Fault, line: RegExp]>([
		['"too fast"', { kind: 'code', code: -22 }, /in 0\.\d s\. .*too (often|fast)/i],
		[
			'a lost connection',
			{ kind: 'cut' },
			/in [12]\.\d s\. The connection to 127\.0\.0\.1:\d+ was/,
		],
		['HTTP status 502', { kind: 'status', status: 502 }, /in [12]\.\d s\. .*HTTP status 502/],
	])('why a call is repeated: %s', async (_name, fault, line) => {
		const texts = await logged([{ ...fault, ...ONCE }]);
		expect(texts[0]).toMatch(/^Kuaidaili \/api\/getproxy: another attempt /);
		expect(texts[0]).toMatch(line);
	});

	it('a call that is sent again without a pause', async () => {
		expect(await logged([{ kind: 'code', code: -112, ...ONCE }])).toEqual([
			expect.stringMatching(/^Kuaidaili \/api\/getproxy: another attempt at once\. /),
		]);
	});

	it('a wait of more than a second for the rate limit', async () => {
		const texts = await logged([], { plan: 'regular', items: [{}, {}, {}] });
		expect(texts).toEqual([
			'Kuaidaili /api/getproxy: a wait of 5.3 s for its turn',
			'Kuaidaili /api/getproxy: a wait of 5.3 s for its turn',
		]);
	});

	it('nothing about calls that need no wait', async () => {
		expect(await logged([], { items: [{}, {}, {}] })).toEqual([]);
	});
});
