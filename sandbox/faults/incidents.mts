import type { Store } from '../accounts/store.mts';
import type { Tokens } from '../authentication/tokens.mts';
import type { Incident } from './fault.mts';

/** Makes happen at the service what a call then has to suffer. */
export class Incidents {
	constructor(
		private readonly store: Store,
		private readonly tokens: Tokens,
	) {}

	/** False, and nothing happened, when it would make no difference to a call with these parameters. */
	strike(incident: Incident, parameters: ReadonlyMap<string, string>): boolean {
		const secretId = parameters.get('secret_id') ?? '';
		switch (incident.kind) {
			case 'forgottenToken': {
				const signature = parameters.get('signature') ?? '';
				return this.tokens.forget(secretId, signature, incident.code ?? -104);
			}
			case 'changedKeyPair':
				return this.changeKeyPair(secretId, incident.code ?? -104);
		}
	}

	private changeKeyPair(secretId: string, code: -102 | -104): boolean {
		const caller = this.store.findCaller(secretId);
		if (caller?.kind !== 'order') return false;
		this.store.changeKeyPair(caller.order, code === -102 ? 'both' : 'secretKey');
		// Whether a token outlives the pair it was fetched with is not documented. If it did, nobody would
		// notice that the pair has changed.
		this.tokens.forgetAll(secretId);
		return true;
	}
}
