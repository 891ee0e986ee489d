import { success, OwnCodes } from '../answers/answer.mts';
import { CHINESE_AREAS, plainName, type NamedCode } from '../catalogue/chineseAreas.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { carriersIn, type Carrier, type PrivateStock } from '../orders/stock.mts';
import { orderEndpoint } from './endpoint.mts';

// No parameter is required, so nothing can be missing. A parameter that is not known has no code; it
// gets the one that is otherwise unused.
const CODES = new OwnCodes({
	[-1]: '参数错误',
	[-3]: '订单类型错误',
	[-4]: 'area参数错误',
	[-5]: 'carrier参数错误',
});

function wrong(name: string) {
	return name === 'carrier' ? CODES.refusal(-5) : CODES.refusal(-1, name);
}

/** Those that are named, in that order. All are the provinces and the cities of each. */
function readAreas(own: OwnParameters): readonly NamedCode[] {
	const text = own.optionalText('area') ?? '';
	if (text === '') return CHINESE_AREAS;
	return [...new Set(text.split(','))].map((code) => {
		const area = CHINESE_AREAS.find((each) => each.code === code);
		if (!area) throw CODES.refusal(-4, code);
		return area;
	});
}

/** One record for each carrier that is wanted and has something there, or one that says there is none. */
function recordsOf({ code, name }: NamedCode, wanted: 0 | Carrier['code'], stock: PrivateStock) {
	const area = { area_name: plainName(name), area_code: Number(code) };
	const carriers = carriersIn(stock, code).filter((each) => wanted === 0 || each.code === wanted);
	if (carriers.length === 0) {
		return [{ ...area, carrier_name: '', carrier_code: -1, available: false }];
	}
	return carriers.map((carrier) => ({
		...area,
		carrier_name: carrier.name,
		carrier_code: carrier.code,
		available: true,
	}));
}

export const dpsResources = orderEndpoint({
	path: '/api/dpsresources',
	hosts: ['dps'],
	rules: () => [perSecond(1)],
	message: (code) => CODES.message(code),
	answer: ({ call, order, service }) => {
		if (order.product !== 'DPS') throw CODES.refusal(-3);
		const own = new OwnParameters(call.parameters, { missing: wrong, wrong });
		const areas = readAreas(own);
		const carrier = own.choice<0 | Carrier['code']>('carrier', [0, 1, 2, 3], 0);
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();
		return success(
			areas.flatMap((area) => recordsOf(area, carrier, service.privateStock)),
			'success',
		);
	},
});
