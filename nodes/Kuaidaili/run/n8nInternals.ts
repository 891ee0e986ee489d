import type { IExecuteFunctions } from 'n8n-workflow';

import { propertyOf } from '../../shared/guards';
import type { EpochMs } from '../../shared/service/chinaTime';

/*
 * Everything that is read of n8n beside its public interface, which has nothing for it. Where a version lacks it, the
 * answer is undefined, and the node goes without.
 */

function additionalDataOf(context: IExecuteFunctions, name: string): unknown {
	return propertyOf(propertyOf(context, 'additionalData'), name);
}

/** How the execution was started that this one belongs to as a sub-workflow. Without it, nobody started this by hand. */
export function rootModeOf(context: IExecuteFunctions): string | undefined {
	const mode = additionalDataOf(context, 'rootExecutionMode');
	return typeof mode === 'string' ? mode : undefined;
}

/** The execution that this one retries. Without it, what a killed execution bought is not found. */
export function retriedExecutionOf(context: IExecuteFunctions): string | undefined {
	const retried = propertyOf(additionalDataOf(context, 'hooks'), 'retryOf');
	return typeof retried === 'string' ? retried : undefined;
}

/** The moment at which n8n ends the execution, by the timeout of the workflow. Without it, the execution has no end. */
export function executionEndOf(context: IExecuteFunctions): EpochMs | undefined {
	const end = additionalDataOf(context, 'executionTimeoutTimestamp');
	return typeof end === 'number' && Number.isFinite(end) ? end : undefined;
}
