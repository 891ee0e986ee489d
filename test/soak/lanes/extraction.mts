import { readString } from '../../../harness/outsideData.mts';
import { expectProxies, lane, several, type OpenLane, type Output } from '../lane.mts';

const EXTRACT = {
	resource: 'proxy',
	operation: 'extract',
	product: 'OPS',
	num: '={{ $json.item.num }}',
};

/** Few, so that all lanes come to rest soon when the memory is looked at. */
const OPEN_RUNS = several(10, () => ({ num: 20 }));
const TWO_OF_THREE = several(2, () => ({ num: 3 }));

const MINIMUM_SECONDS_LEFT = 30;
const REUSED = 20;

/** A run takes some time, in which a proxy gets older; the service tells whole seconds. */
const SLACK_MS = 5_000;

/** Watches whether only those proxies are extracted that are missing. */
class ReuseWatch {
	/** When each proxy ends, in milliseconds since 1970. */
	private readonly ends = new Map<string, number>();

	/** @param wanted how many each run asks for */
	constructor(
		private readonly wanted: number,
		private readonly minimumSecondsLeft: number,
	) {}

	/**
	 * @param now when the run ended, in milliseconds since 1970
	 * @returns how many of the proxies were not handed out before
	 * @throws Error when more were extracted than were missing, or one lives too short
	 */
	expectOnlyMissing(output: Output, now: number): number {
		const least = this.minimumSecondsLeft * 1000;
		for (const [address, end] of this.ends) if (end <= now) this.ends.delete(address);
		const usable = [...this.ends.values()].filter((end) => end - now >= least + SLACK_MS).length;
		let fresh = 0;
		for (const record of output) {
			const address = readString(record, 'address');
			const end = Date.parse(readString(record, 'expiresAt'));
			if (!(end - now >= least - SLACK_MS)) throw new Error(`${address} ends too soon`);
			if (!this.ends.has(address)) fresh += 1;
			this.ends.set(address, end);
		}
		const missing = this.wanted - usable;
		if (fresh > missing) throw new Error(`${fresh} were extracted, and ${missing} were missing`);
		return fresh;
	}
}

const reuse = new ReuseWatch(REUSED, MINIMUM_SECONDS_LEFT);

/** With a stock, without one, and at a tunnel. Every product goes through these, as test/e2e shows. */
export const EXTRACTION_LANES: readonly OpenLane[] = [
	lane({
		name: 'Proxy: Extract, open proxies at the maximum rate',
		nodes: [
			[
				'openSvip',
				{ ...EXTRACT, product: 'OPS', plan: 'svip', options: { extraFields: { fLoc: true } } },
			],
		],
		items: OPEN_RUNS,
		pauseMs: 0,
		rest: (output) => ({ items: expectProxies(output, 200).length }),
	}),
	// Every proxy counts, and is handed out once
	lane({
		name: 'Proxy: Extract, private proxies',
		nodes: [['dpsEach', { ...EXTRACT, product: 'DPS', options: { extraFields: { fLoc: true } } }]],
		items: TWO_OF_THREE,
		quotaOf: 'dpsEach',
		rest: (output) => ({ items: output.length, extracted: expectProxies(output, 6).length }),
	}),
	lane({
		name: 'Proxy: Extract, private proxies that are reused',
		nodes: [
			[
				'dpsReused',
				{
					...EXTRACT,
					product: 'DPS',
					options: {
						reuse: true,
						minimumSecondsLeft: MINIMUM_SECONDS_LEFT,
						// Else the service may hand out again what the order still has, and count it
						filters: { dedup: true },
					},
				},
			],
		],
		items: [{ num: REUSED }],
		quotaOf: 'dpsReused',
		rest(output) {
			expectProxies(output, REUSED);
			return { items: output.length, extracted: reuse.expectOnlyMissing(output, Date.now()) };
		},
	}),
	lane({
		name: 'Proxy: Extract, tunnels',
		nodes: [['tps', { ...EXTRACT, product: 'TPS' }]],
		items: TWO_OF_THREE,
		rest: (output) => ({ items: expectProxies(output, 2).length }),
	}),
];
