import type { IDataObject } from 'n8n-workflow';

import { ownValue } from '../../../nodes/shared/guards.ts';
import type { Fault, LoggedRequest } from '../../../sandbox/sandbox.mts';
import { shareOf } from '../../fullMatrices.mts';
import { isRepeatable } from '../../operations/effects.mts';
import { pathOf, WAYS, type Way } from '../../operations/index.mts';
import { parametersOf, worldOf } from '../../operations/outcome.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

const FAULTS: ReadonlyArray<[name: string, fault: Fault]> = [
	['a connection that is cut', { kind: 'cut' }],
	['a connection that is reset after the work', { kind: 'cut', how: 'reset', when: 'after' }],
	['an answer that is cut off', { kind: 'halfBody', promise: 'full' }],
	['HTTP status 502', { kind: 'status', status: 502 }],
	['HTTP status 503', { kind: 'status', status: 503 }],
	['HTTP status 504, after the work', { kind: 'status', status: 504, when: 'after' }],
	['HTTP status 429', { kind: 'status', status: 429 }],
	['code -109', { kind: 'code', code: -109 }],
];

/** Open proxies that were not extracted today are used up by an extraction. */
function skipsExtracted({ theCase: { fields } }: Way): boolean {
	const filters = ownValue(fields, 'filters');
	return ownValue(filters, 'dedup') === true;
}

/** One for each endpoint that does the work of an operation, and for each that may use something up or not. */
const ways = [
	...new Map(
		WAYS.map((way) => [`${pathOf(way)} ${skipsExtracted(way)}`, [pathOf(way), way] as const]),
	).values(),
];
/** One policy decides for all of them, so each has three of the faults, and `npm run fuzz` tries all. */
const SHARES = 3;
const CLOSE = '/api/closeorder';
const [repeatable, others] = [true, false].map((areRepeatable) =>
	ways
		.filter(([path, way]) => (isRepeatable(path) && !skipsExtracted(way)) === areRepeatable)
		.map(([path, way], index) => [path, way, index] as const),
);

async function runWith(way: Way, path: string, fault: Fault) {
	const world = worldOf(way, bed().sandbox);
	bed().sandbox.faults.add({ path, ...fault });
	const { error, status } = await bed().engine.run({
		credentialId: bed().addCredential(world.keys, { keyType: way.by }),
		parameters: parametersOf(way, world) as IDataObject,
	});
	return { error, status, calls: bed().sandbox.log.entries(path) };
}

function pauses(calls: readonly LoggedRequest[]): number[] {
	return calls.slice(1).map(({ arrival }, index) => arrival - calls[index].arrival);
}

describe.each(repeatable)('%s, which changes nothing when it is repeated', (path, way, index) => {
	// An order is closed once; see below
	const all = FAULTS.filter(([name]) => path !== CLOSE || !/after|cut off/.test(name));
	const faults = shareOf(all, SHARES, index);

	it.each(faults)('is asked a third time after %s', async (_name, fault) => {
		const { error, status, calls } = await runWith(way, path, { ...fault, times: 2 });
		expect(error).toBeUndefined();
		expect(status).toBe('success');
		expect(calls.length).toBeGreaterThanOrEqual(3);
		const [first, second] = pauses(calls);
		expect(first).toBeGreaterThanOrEqual(1000);
		expect(second).toBeGreaterThanOrEqual(2500);
		// Each is signed on its own: the service would take it for a replay
		expect(new Set(calls.map(({ parameters }) => parameters.nonce)).size).toBe(calls.length);
	});
});

it('an order that was closed although the answer got lost is not said to be impossible to close', async () => {
	const [, way] = ways.find(([path]) => path === CLOSE) ?? [];
	if (way === undefined) throw new Error('Nothing closes an order');
	const cut: Fault = { kind: 'cut', how: 'reset', when: 'after', times: 1 };
	const { error, calls } = await runWith(way, CLOSE, cut);
	expect(error?.message ?? 'closed').not.toContain('cannot be closed');
	expect(calls).toHaveLength(2);
});

describe.each(others)('%s, which uses something up', (path, way, index) => {
	it.each(shareOf(FAULTS, SHARES, index))(
		'is sent once whatever comes back: %s',
		async (_name, fault) => {
			const { calls } = await runWith(way, path, fault);
			expect(calls).toHaveLength(1);
		},
	);
});
