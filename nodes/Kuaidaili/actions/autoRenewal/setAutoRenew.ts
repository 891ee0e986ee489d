import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { SET_AUTO_RENEW } from '../../../shared/service/endpoints/order';
import { callService } from '../../../shared/transport/callService';
import { cleanServiceText } from '../../../shared/transport/cleanText';
import { readCallOptions } from '../../parameters/callOptions';
import { accessOrderOfItem } from '../../parameters/orderAccess';

/**
 * Switches auto-renewal. Setting a state is harmless to repeat, so this needs none of the care of a
 * purchase.
 *
 * @param unit for how long each renewal lasts; undefined switches it off
 * @throws InvalidFieldError and what `callService` throws
 */
export async function setAutoRenew(
	context: IExecuteFunctions,
	itemIndex: number,
	readUnit: (check: boolean) => string | undefined,
): Promise<IDataObject> {
	const options = readCallOptions(context.getNodeParameter('options', itemIndex, ''));
	const unit = readUnit(options.check);
	const { caller, orderid } = await accessOrderOfItem(context, itemIndex, options);
	const answer = await callService(caller, {
		endpoint: SET_AUTO_RENEW,
		parameters: unit === undefined ? { autorenew: '0' } : { autorenew: '1', time_type: unit },
	});
	const message = cleanServiceText(answer.msg, caller.secrets());
	const order = orderid === undefined ? {} : { orderid };
	return unit === undefined
		? { ...order, enabled: false, message }
		: { ...order, enabled: true, unit, message };
}
