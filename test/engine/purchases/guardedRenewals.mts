import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';

/*
 * That a renewal is paid once, and only when it is wanted. What was paid is what the ledger of the
 * sandbox says.
 */
export const ALWAYS: IDataObject = { renewWhen: 'always' };

export const UNCLEAR = 'The order may have been renewed: ';
/** After so long, an unclear purchase that the service does not show was not made. */
export const NO_LONGER_LATE_MS = 600_001;

/** The moved clock of a sandbox must not make signatures too old. */
export const ANY_TIME = { timestampToleranceSeconds: 1_000_000_000 };

export function endOf({ expiresAt }: Order): number {
	return expiresAt?.getTime() ?? NaN;
}
