import { success, OwnCodes } from '../answers/answer.mts';
import type { HostName } from '../http/call.mts';
import type { RateRule } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import type { Settings } from '../settings.mts';
import { anyKeyEndpoint, type Endpoint } from './endpoint.mts';

const CODES = new OwnCodes({
	[-1]: '缺少参数',
});

interface LookUp {
	path: string;
	host: HostName;
	rule: RateRule;
	/** The one parameter it wants, if any. */
	parameter?: string;
	/** The whole of what is known about the value, which is empty when there is no parameter. */
	find: (value: string, settings: Settings) => unknown;
}

/** An endpoint that only reads from a table: the same for everybody, and what is unknown is no failure. */
export function lookUpEndpoint({ path, host, rule, parameter, find }: LookUp): Endpoint {
	return anyKeyEndpoint({
		path,
		hosts: [host],
		rule,
		message: (code) => CODES.message(code),
		answer: ({ call, service: { settings } }) => {
			// No code is documented for a parameter that is not known; it gets the only one there is.
			const refusal = (name: string) => CODES.refusal(-1, name);
			const own = new OwnParameters(call.parameters, { missing: refusal, wrong: refusal });
			const value = parameter === undefined ? '' : own.text(parameter);
			// Whether an empty value counts as missing is not documented.
			if (parameter !== undefined && value === '') throw refusal(parameter);
			if (settings.inapplicableParameters === 'refuse') own.nothingElse();
			return success(find(value, settings));
		},
	});
}
