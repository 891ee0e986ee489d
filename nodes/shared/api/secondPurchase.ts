import type { IHttpRequestOptions } from 'n8n-workflow';

import { isRecord, percentDecoded, propertyOf } from '../guards';
import { ENDPOINTS } from '../service/endpoints';
import { requestAddress } from './signRequest';

/** Paths of the calls that spend money, or use up something of an order. */
const PURCHASE_PATHS = new Set(
	Object.values(ENDPOINTS)
		.filter(({ kind }) => kind === 'purchase' || kind === 'quota')
		.map(({ path }) => path),
);

/** A path as a server may read it: case, repeated slashes, one at the end and percent-encoding make no difference. */
function normalizedPath(pathname: string): string {
	return percentDecoded(pathname)
		.toLowerCase()
		.replace(/[/\\]+/g, '/')
		.replace(/(?<=.)\/$/, '');
}

/**
 * Throws an Error for a purchase that was signed before, so that it may have been carried out: n8n signs and
 * resends a request after a 401 with a broken body.
 */
export function refuseSecondPurchase(request: IHttpRequestOptions): void {
	const { url } = requestAddress(request);
	if (!PURCHASE_PATHS.has(normalizedPath(url.pathname))) return;
	const sent: unknown[] = [request.qs, propertyOf(request, 'form'), request.body];
	if (!sent.filter(isRecord).some((fields) => Object.hasOwn(fields, 'signature'))) return;
	throw new Error('A purchase is not sent a second time, because that could pay twice.');
}
