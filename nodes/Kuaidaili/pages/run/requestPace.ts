/** How often requests may leave, of whatever pages. */
export interface RequestPace {
	/** The time between two requests in milliseconds; 0 for any number at once. */
	readonly intervalMs: number;
	/** Resolves when the caller may send a request. Throws CancelledError at once when `signal` aborts. */
	acquireSlot(signal: AbortSignal | undefined): Promise<void>;
	/** Keeps all requests from leaving for so long. */
	pause(ms: number): void;
}
