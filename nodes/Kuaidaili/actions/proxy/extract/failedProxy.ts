import type { IDataObject } from 'n8n-workflow';

import { fingerprintOf } from '../../../../shared/api/sign';
import { InvalidFieldError } from '../../../../shared/fields/field';
import { isEmpty, isRecord, ownValue } from '../../../../shared/guards';
import type { ProxyFault, ProxyStatuses } from '../../../proxies/proxyStatuses';
import type { ProxyReport } from '../../../proxies/proxyPool';
import { statusesOf } from '../../../proxies/products';
import { addressOfProxy } from '../proxyAddress';
import { PROXY_DETAILS, proxyFieldField, type ExtractRequest } from './fields';

/**
 * Statuses that no proxy of the service answers with, and that yet more likely come from the way to the page than
 * from the page.
 */
const STATUS_OF_GATEWAYS = 502;

const STATUSES_OF_BLOCKS = new Set([403, 429]);

/** The status of a failed request, which HTTP Request has in several places and in the message. */
function failedStatusOf(error: unknown): number | undefined {
	const response = ownValue(error, 'response');
	const values = [
		...['status', 'statusCode', 'httpCode'].map((name) => ownValue(error, name)),
		ownValue(response, 'status'),
	];
	const message = typeof error === 'string' ? error : ownValue(error, 'message');
	const inMessage = /^(?:\D{0,60}\bstatus code )?(\d{3})\b/.exec(String(message))?.[1];
	return [...values, inMessage]
		.map((value) => (typeof value === 'string' ? Number(value) : value))
		.find((value): value is number => typeof value === 'number' && value >= 300 && value < 600);
}

function faultOf(error: unknown, statuses: ProxyStatuses): ProxyFault | undefined {
	const status = failedStatusOf(error);
	if (status === undefined || status === STATUS_OF_GATEWAYS) return 'failed';
	if (STATUSES_OF_BLOCKS.has(status)) return 'blocked';
	const cause = statuses[status]?.cause;
	if (cause === 'login') return 'loginRefused';
	if (cause === 'proxy' || cause === 'expired') return 'failed';
	// Else another proxy would get the same answer: it is the page's own, or about the order
	return cause === 'host' ? 'blocked' : undefined;
}

/** Stands for the site, which nobody knows here: the item as it was before it got a proxy. */
function failedSiteOf(json: IDataObject, proxyField: string): string {
	const ofExtract = new Set(['error', PROXY_DETAILS, proxyField]);
	return fingerprintOf(Object.entries(json).filter(([name]) => !ofExtract.has(name)));
}

/** The field with the proxy of an item, and the product of that proxy. */
type ProxyOfItem = Pick<ExtractRequest, 'proxyField' | 'product'>;

/** The proxy of an item that comes from the error output of the node that used it. */
export function failedProxyOf(
	json: IDataObject,
	{ proxyField, product }: ProxyOfItem,
): ProxyReport | undefined {
	const error = ownValue(json, 'error');
	const proxyUrl = ownValue(json, proxyField);
	const address = addressOfProxy(proxyUrl);
	const isError = isRecord(error) || (typeof error === 'string' && error !== '');
	if (!isError || address === undefined) return undefined;
	const site = failedSiteOf(json, proxyField);
	return { address, site, fault: faultOf(error, statusesOf(product)) };
}

/** Throws InvalidFieldError for what would be overwritten and is not of an earlier Extract. */
export function refuseLosses(json: IDataObject, request: ProxyOfItem): void {
	const { proxyField } = request;
	const details = ownValue(json, PROXY_DETAILS);
	const known = ownValue(details, 'address');
	if (!isEmpty(details) && typeof known !== 'string') {
		throw new InvalidFieldError(
			proxyFieldField.displayName,
			proxyField,
			`The item already has a field '${PROXY_DETAILS}', where this node puts what is known about the proxy. Rename or remove that field first.`,
		);
	}
	const value = ownValue(json, proxyField);
	const ofExtract = typeof known === 'string' ? known : ownValue(json, 'address');
	const isEarlier =
		failedProxyOf(json, request) !== undefined ||
		(typeof ofExtract === 'string' && addressOfProxy(value) === ofExtract);
	if (isEmpty(value) || isEarlier) return;
	throw new InvalidFieldError(
		proxyFieldField.displayName,
		proxyField,
		`The item already has a field '${proxyField}', which would be overwritten. Enter another name, or remove that field first.`,
	);
}
