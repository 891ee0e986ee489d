/** What tests switched on, each for so many `times` or until it is cleared. */
export class SwitchedOn<F extends { times?: number }> {
	private faults: F[] = [];

	add(...faults: readonly F[]): void {
		this.faults.push(...faults.map((fault) => ({ ...fault })));
	}

	clear(): void {
		this.faults = [];
	}

	/** The one that was added first decides. */
	protected takeFirst(hits: (fault: F) => boolean): F | undefined {
		const fault = this.faults.find(hits);
		if (fault?.times !== undefined) {
			fault.times -= 1;
			if (fault.times <= 0) this.faults = this.faults.filter((each) => each !== fault);
		}
		return fault;
	}
}
