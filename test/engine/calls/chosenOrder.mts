import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Account } from '../../../sandbox/sandbox.mts';
import { Owner } from '../support/owner.mts';
import { useTestBed } from '../support/testBed.mts';

export const AUTO_RENEWAL = '/api/setautorenew';

export const bed = useTestBed();

export function owner(
	settings: Partial<Account> = {},
	changes?: ICredentialDataDecryptedObject,
): Owner {
	return new Owner(bed(), settings, changes);
}

export const ENABLE = { resource: 'autoRenewal', operation: 'enable' };
