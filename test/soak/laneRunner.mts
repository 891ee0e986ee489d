import { setTimeout as sleep } from 'node:timers/promises';
import type { Lane, LaneResult } from './lane.mts';

const FAILURES_KEPT = 20;
const AFTER_FAILURE_MS = 1000;
const LOOK_EVERY_MS = 20;

/** Lets all lanes work until the time is over, and lets them rest in between. */
export class LaneRunner {
	private resting: Promise<void> | undefined;

	private running = 0;

	constructor(
		private readonly lanes: readonly Lane[],
		private readonly endsAt: number,
	) {}

	async run(): Promise<void> {
		await Promise.all(this.lanes.map(async (lane) => await this.keepRunning(lane)));
	}

	/** Does something while nothing is under way. */
	async atRest<Result>(something: () => Promise<Result>): Promise<Result> {
		let goOn = () => {};
		this.resting = new Promise((resolve) => (goOn = resolve));
		try {
			while (this.running > 0) await sleep(LOOK_EVERY_MS);
			return await something();
		} finally {
			this.resting = undefined;
			goOn();
		}
	}

	/** What fails is kept. */
	private async keepRunning(lane: Lane): Promise<void> {
		while (performance.now() < this.endsAt) {
			await this.resting;
			this.running += 1;
			try {
				add(lane, await lane.run());
			} catch (error) {
				const text = error instanceof Error ? error.message : String(error);
				if (lane.failures.length < FAILURES_KEPT) lane.failures.push(text);
				await sleep(AFTER_FAILURE_MS);
			} finally {
				this.running -= 1;
			}
			await sleep(Math.max(0, Math.min(lane.pauseMs, this.endsAt - performance.now())));
		}
	}
}

function add({ total }: Lane, result: LaneResult): void {
	total.items += result.items;
	total.extracted += result.extracted ?? 0;
	total.created.push(...(result.created ?? []));
}
