import type { Polled } from '../engine/support/poller.mts';
import { expectClear } from './clearError.mts';

export type Outcome = { readonly polled: Polled } | { readonly failure: Error };

export async function outcomeOf(polling: Promise<Polled>): Promise<Outcome> {
	return await polling.then(
		(polled): Outcome => ({ polled }),
		(error: unknown): Outcome => ({
			failure: error instanceof Error ? error : new Error(String(error)),
		}),
	);
}

const NOTHING = [
	/^There is no .+$/,
	/^The account has no order to test this with$/,
	/^The account has no .+$/,
];

/** A failure of a trigger says what happened and what to do, in words of the node. */
export function expectOwnWords(failure: Error, secrets: readonly string[]): void {
	expect(['NodeApiError', 'NodeOperationError']).toContain(failure.name);
	const description = String(Reflect.get(failure, 'description') ?? '');
	// Codes have words of their own
	const ofCode = Reflect.get(failure, 'httpCode') ? [/^['A-Z]/] : [];
	expectClear({ message: failure.message, description }, secrets, [...ofCode, ...NOTHING]);
}
