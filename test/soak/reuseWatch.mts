import { readString } from '../../harness/outsideData.mts';
import type { Output } from './lane.mts';

/** A run takes some time, in which a proxy gets older; the service tells whole seconds. */
const SLACK_MS = 5_000;

/** Watches whether only those proxies are extracted that are missing. */
export class ReuseWatch {
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
