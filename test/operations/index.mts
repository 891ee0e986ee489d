/**
 * One row for each operation of the node, each event of the trigger and each endpoint of the service. They
 * feed the runs in n8n's engine and in a real n8n, the tests of codes, of hostile values and of broken
 * answers, the checks in the browser and the tables of the documentation. A test compares them with the
 * node's own description: what has no row fails.
 */
import { account } from './account.mts';
import { area } from './area.mts';
import { autoRenewal } from './autoRenewal.mts';
import { city } from './city.mts';
import { EVENT_ENDPOINTS, EVENTS } from './events.mts';
import { HELPER_ENDPOINTS, ORDER_KEYS } from './helperEndpoints.mts';
import { order } from './order.mts';
import { page } from './page.mts';
import { privateProxyResource } from './privateProxyResource.mts';
import { proxy } from './proxy.mts';
import { tunnel } from './tunnel.mts';
import { userAgent } from './userAgent.mts';
import { whitelist } from './whitelist.mts';
import type {
	Codes,
	EndpointRow,
	EventRow,
	OperationCase,
	OperationRow,
	Path,
	ResourceRow,
} from './row.mts';
import type { By } from './world.mts';

export { EVENTS } from './events.mts';
export { HELPER_ENDPOINTS } from './helperEndpoints.mts';
export type * from './row.mts';

/** In the order of the menu. */
export const RESOURCES: readonly ResourceRow[] = [
	account,
	area,
	autoRenewal,
	city,
	order,
	page,
	privateProxyResource,
	proxy,
	tunnel,
	userAgent,
	whitelist,
];

export const ENDPOINT_ROWS: readonly EndpointRow[] = [
	...RESOURCES.flatMap(({ endpoints }) => endpoints),
	...EVENT_ENDPOINTS,
	...HELPER_ENDPOINTS,
];

/** Codes that every endpoint may answer. */
export const COMMON_CODES: Codes = {
	[-101]: /no Secret ID.*'Secret ID'/i,
	[-102]: /(does not exist or has expired|Secret ID isn't known).*member center/i,
	[-103]: /without a signature.*report/i,
	[-104]: /Secret Key doesn't belong to Secret ID.*'Secret ID' and 'Secret Key'/i,
	[-105]: /sign type.*report/i,
	[-106]: /only POST.*report/i,
	[-107]: /token has expired.*'HMAC-SHA1'/i,
	[-108]: /IP address is not on.*whitelist.*add the public IP address/i,
	[-109]: /went wrong on Kuaidaili's side/,
	[-110]: /without a timestamp.*report/i,
	[-111]: /timestamp.*report/i,
	[-112]: 'tries again',
	[-113]: /nonce.*report/i,
	[-114]: 'tries again',
	[-120]: 'tries again',
	[-121]: /only signed requests.*'Sign Type'.*'HMAC-SHA1'/i,
	[-122]: /expected a secret token.*'Sign Type'.*'HMAC-SHA1'/i,
	[-123]: /this kind of key pair.*'Key Type'/i,
};

/** An operation with its resource. */
export interface Operation extends OperationRow {
	readonly resource: string;
	readonly resourceLabel: string;
	/** As the documentation calls it. */
	readonly name: string;
}

export const OPERATIONS: readonly Operation[] = RESOURCES.flatMap(
	({ resource, label: resourceLabel, operations }) =>
		operations.map((row) => ({
			...row,
			resource,
			resourceLabel,
			name: `${resourceLabel}: ${row.label}`,
		})),
);

/** One case of an operation, with one of the key pairs that it takes. */
export interface Way {
	readonly operation: Operation;
	readonly theCase: OperationCase;
	readonly by: By;
	readonly name: string;
}

function keyPairsFor({ key }: Operation, { order: kind, by }: OperationCase): readonly By[] {
	if (by !== undefined) return [by];
	if (key === 'account' || kind === undefined) return ['account'];
	return ['order', 'account'];
}

export const WAYS: readonly Way[] = OPERATIONS.flatMap((operation) =>
	operation.cases.flatMap((theCase) =>
		keyPairsFor(operation, theCase).map((by) => ({
			operation,
			theCase,
			by,
			name: `${operation.name}, ${theCase.what}, with the key pair of the ${by}`,
		})),
	),
);

/** Each case once, where it does not matter whose key pair leads to an order. */
export const CASES: readonly Way[] = WAYS.filter(
	(way) => WAYS.find(({ theCase }) => theCase === way.theCase) === way,
);

/** The endpoint that does the work. */
export function pathOf({ operation, theCase }: Way): Path {
	return theCase.path ?? operation.path;
}

/** Whether money is taken. */
export function isPaid({ operation, theCase }: Way): boolean {
	return theCase.isPaid ?? operation.costs === 'at once';
}

/** Every call, in its order. */
export function callsOf(way: Way): readonly Path[] {
	const { operation, theCase, by } = way;
	if (theCase.allCalls !== undefined) return theCase.allCalls;
	const first = operation.key === 'order' && by === 'account' ? [ORDER_KEYS.path] : [];
	const where = by === 'account' ? '/api/getaccountorders' : '/api/getorderinfo';
	const lookUp = theCase.looksUp === true ? [where as Path] : [];
	return [...lookUp, ...first, ...(theCase.calls ?? [pathOf(way)])];
}

/** Whether the balance is read before and after the purchase, for the report of what it cost. */
export function reportsCost(way: Way): boolean {
	return isPaid(way) && way.by === 'account';
}

/** An event, with one of the key pairs that lead to what it watches. */
export interface EventWay {
	readonly row: EventRow;
	readonly by: By;
	readonly name: string;
}

export const EVENT_WAYS: readonly EventWay[] = EVENTS.flatMap((row) => {
	const keyPairs: readonly By[] = row.order === undefined ? ['account'] : ['order', 'account'];
	return keyPairs.map((by) => ({
		row,
		by,
		name: `Trigger: ${row.label}, with the key pair of the ${by}`,
	}));
});
