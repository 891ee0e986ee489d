/** Gives each job a thing for itself for as long as it lasts; jobs beyond the number of things wait. */
export class Lanes<T> {
	private readonly free: T[];

	private readonly waiting: Array<(lane: T) => void> = [];

	constructor(lanes: readonly T[]) {
		this.free = [...lanes];
	}

	async run<R>(job: (lane: T) => Promise<R>): Promise<R> {
		const lane = this.free.pop() ?? (await new Promise<T>((resolve) => this.waiting.push(resolve)));
		try {
			return await job(lane);
		} finally {
			const next = this.waiting.shift();
			if (next) next(lane);
			else this.free.push(lane);
		}
	}
}
