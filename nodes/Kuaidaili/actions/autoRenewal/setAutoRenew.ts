import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { callService } from '../../../shared/transport/callService';
import { cleanServiceText } from '../../../shared/transport/cleanText';
import { executionCaller } from '../../../shared/transport/nodeCaller';
import { readCallOptions } from '../../descriptions/callOptions';

/**
 * Switches auto-renewal. Setting a state is harmless to repeat, so this needs none of the care of a
 * purchase.
 *
 * @param unit for how long each renewal lasts; undefined switches it off
 * @throws FieldRefusedError and what `callService` throws
 */
export async function setAutoRenew(
	context: IExecuteFunctions,
	itemIndex: number,
	readUnit: (check: boolean) => string | undefined,
): Promise<IDataObject> {
	const { timeoutMs, check } = readCallOptions(context.getNodeParameter('options', itemIndex, ''));
	const unit = readUnit(check);
	const caller = await executionCaller(context, itemIndex, timeoutMs);
	const answer = await callService(caller, {
		endpoint: 'setAutoRenew',
		parameters: unit === undefined ? { autorenew: '0' } : { autorenew: '1', time_type: unit },
	});
	const message = cleanServiceText(answer.msg, caller.secrets());
	return unit === undefined ? { enabled: false, message } : { enabled: true, unit, message };
}
