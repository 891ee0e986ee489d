import { OwnCodes } from './ownCodes.mts';
import { OwnParameters } from './ownParameters.mts';

/** Of querykpscity and querysfpsarea. */
export const AVAILABILITY_CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '参数错误',
	[-3]: '订单类型错误',
});

export function availabilityParameters(parameters: ReadonlyMap<string, string>): OwnParameters {
	return new OwnParameters(parameters, {
		missing: (name) => AVAILABILITY_CODES.refusal(-1, name),
		wrong: (name) => AVAILABILITY_CODES.refusal(-2, name),
	});
}
