import type { SecretToken } from './secretToken';

const LARGEST_SIZE = 500;

interface Entry {
	token?: SecretToken;
	/** A fetch that is under way; everybody who needs the token waits for this one. */
	fetching?: Promise<SecretToken>;
}

/**
 * The secret tokens of this process, one per key pair. n8n keeps the token in its database and may
 * ask for a new one from many executions at once; here they share one fetch, and one result.
 * Held in memory only.
 */
export class SecretTokenStore {
	private readonly entries = new Map<string, Entry>();

	/** @param clock milliseconds since 1970 */
	constructor(private readonly clock: () => number = () => Date.now()) {}

	/** How many key pairs are remembered. */
	get size(): number {
		return this.entries.size;
	}

	/** The token in memory, or a newly fetched one. A fetch that fails is not remembered. */
	async obtain(fingerprint: string, fetch: () => Promise<SecretToken>): Promise<SecretToken> {
		const known = this.entries.get(fingerprint);
		if (known?.token !== undefined && this.clock() < known.token.renewAt) return known.token;
		if (known?.fetching !== undefined) return await known.fetching;
		const fetching = fetch();
		this.remember(fingerprint, { fetching });
		fetching.then(
			(token) => this.remember(fingerprint, { token }),
			() => this.entries.delete(fingerprint),
		);
		return await fetching;
	}

	/** Forgets a token that the service refused; a newer one, fetched meanwhile, stays. */
	discard(fingerprint: string, token: string): void {
		if (this.entries.get(fingerprint)?.token?.token === token) this.entries.delete(fingerprint);
	}

	private remember(fingerprint: string, entry: Entry): void {
		this.entries.delete(fingerprint);
		this.entries.set(fingerprint, entry);
		for (const oldest of this.entries.keys()) {
			if (this.entries.size <= LARGEST_SIZE) break;
			this.entries.delete(oldest);
		}
	}
}
