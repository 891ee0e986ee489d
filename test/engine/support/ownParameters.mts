import type { LoggedRequest } from '../../../sandbox/sandbox.mts';

const AUTHENTICATION = new Set(['secret_id', 'sign_type', 'signature', 'timestamp', 'nonce']);

/** What was sent, without what belongs to authentication. */
export function ownParameters({ parameters }: LoggedRequest): Record<string, string> {
	return Object.fromEntries(
		Object.entries(parameters).filter(([name]) => !AUTHENTICATION.has(name)),
	);
}
