import type { Call } from '../calls/call.mts';
import type { Outgoing } from '../http/outgoing.mts';
import type { CacheFault } from './fault.mts';

// What makes two calls differ that ask for the same
const NOT_COMPARED = ['sign_type', 'signature', 'timestamp', 'nonce'];

/** What the caches on the way keep. */
export class CachedAnswers {
	private readonly kept = new WeakMap<CacheFault, Map<string, Outgoing>>();

	get(cache: CacheFault, call: Call): Outgoing | undefined {
		return this.kept.get(cache)?.get(keyOf(call));
	}

	keep(cache: CacheFault, call: Call, answer: Outgoing): void {
		const answers = this.kept.get(cache) ?? new Map<string, Outgoing>();
		this.kept.set(cache, answers.set(keyOf(call), answer));
	}
}

function keyOf({ path, parameters }: Call): string {
	const compared = [...parameters].filter(([name]) => !NOT_COMPARED.includes(name));
	return JSON.stringify([path, compared.toSorted()]);
}
