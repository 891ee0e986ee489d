import { serviceField, type Field } from '../../../shared/fields/field';
import { choice, namedOptions, textKind } from '../../../shared/fields/kinds';
import { ordersOf } from '../../../shared/orders/orderField';
import { PRODUCT_DESCRIPTIONS, PRODUCT_LABELS } from '../../../shared/service/products';
import { TPS_CURRENT_IP, TPS_PRO_CURRENT_IP } from '../../../shared/service/endpoints/order';
import { toRecord, type UnknownRecord, ownValue, isList, isRecord } from '../../../shared/guards';
import { callOperation, fetching } from '../../run/operation';
import { dataQuery, type Query } from '../../../shared/api/call';
import type { Endpoint } from '../../../shared/service/endpoint';

/** The address that requests come from; the rest is as the service sends it. Empty before the first request. */
type CurrentIp = UnknownRecord & { readonly current_ip: string };

function isCurrentIp(data: UnknownRecord): data is CurrentIp {
	return typeof ownValue(data, 'current_ip') === 'string';
}

/**
 * Both kinds of tunnels show either form of the answer in the service's documentation, so what came
 * decides: one address, or one for each session.
 */
export function currentIps(endpoint: Endpoint): Query<CurrentIp[]> {
	return dataQuery(endpoint, 'IP address', (data): CurrentIp[] | undefined => {
		// An empty map may be written as an empty list
		if (isList(data) && data.length === 0) return [];
		if (!isRecord(data)) return undefined;
		if (isCurrentIp(data)) return [data];
		const ips = Object.entries(data);
		const sessions = ips.flatMap(([sid, ip]) =>
			typeof ip === 'string' ? [{ sid, current_ip: ip }] : [],
		);
		return sessions.length === ips.length ? sessions : undefined;
	});
}

const PRO = 'TPS_PRO';

const tunnelProductField: Field = {
	name: 'product',
	displayName: 'Product',
	description: 'The product of the order',
	required: true,
	kind: choice(namedOptions(PRODUCT_LABELS, PRODUCT_DESCRIPTIONS, ['TPS', PRO])),
};

const sidField = serviceField({
	serviceName: 'sid',
	displayName: 'Session',
	description: 'Only this session. Leave empty for all sessions in use.',
	placeholder: 'e.g. s01',
	when: { [tunnelProductField.name]: [PRO] },
	kind: textKind('up to 6 letters and digits, such as s01', (sid) =>
		/^[A-Za-z0-9]{1,6}$/.test(sid),
	),
});

export const tunnelGetCurrentIp = callOperation({
	option: {
		name: 'Get Current IP',
		value: 'getCurrentIp',
		action: 'Get current tunnel IP',
		description:
			"Get the IP behind a tunnel, which isn't a proxy itself. Only for orders that keep an IP for at least 30 seconds.",
	},
	orders: (valueOf) => ordersOf(valueOf(tunnelProductField.name)),
	fields: [tunnelProductField, sidField],
	work: fetching(TPS_CURRENT_IP, async (ask, parameters, fields) => {
		const isPro = fields.textOf(tunnelProductField.name) === PRO;
		return await ask(currentIps(isPro ? TPS_PRO_CURRENT_IP : TPS_CURRENT_IP), parameters);
	}),
	toResult(ips, { orderRecord }) {
		const isUnused = ips.some((ip) => ip.current_ip === '');
		return {
			records: ips.map((ip) => ({ ...orderRecord, ...toRecord(ip) })),
			hint: isUnused
				? 'The tunnel has no IP address yet. It gets one with the first request.'
				: undefined,
		};
	},
	hintForNone:
		'No session of the tunnel has an IP address right now. A session gets one with its first request.',
});
