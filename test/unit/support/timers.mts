/** Watches the real timers that are set from now on; jest has some of its own, which do not count. */
export function watchTimers() {
	const set = jest.spyOn(globalThis, 'setTimeout');
	const cleared = jest.spyOn(globalThis, 'clearTimeout');
	return {
		/** How many were set. */
		started: () => set.mock.calls.length,
		/** How many of them nobody has cleared. */
		left() {
			const gone = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));
			return set.mock.results.filter(({ value }) => !gone.has(value)).length;
		},
	};
}
