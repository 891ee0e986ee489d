import type { IHttpRequestOptions } from 'n8n-workflow';

import { isRecord, propertyOf } from '../guards';
import { ENDPOINTS } from '../service/endpoints';
import { requestAddress } from './requestAddress';

const PURCHASE_PATHS = new Set(
	Object.values(ENDPOINTS)
		.filter(({ kind }) => kind === 'purchase' || kind === 'quota')
		.map(({ path }) => path),
);

/** As a server may read it: case, repeated slashes, one at the end and percent-encoding make no difference. */
function normalizedPath(pathname: string): string {
	let path = pathname;
	try {
		path = decodeURIComponent(pathname);
	} catch {
		// Not percent-encoded after all
	}
	return path
		.toLowerCase()
		.replace(/[/\\]+/g, '/')
		.replace(/(?<=.)\/$/, '');
}

/**
 * n8n signs and resends a request after a 401 with a broken body, and in the HTTP Request node after any
 * failure. A request that is already signed may have been carried out.
 *
 * @throws Error for a purchase that was signed before
 */
export function refuseSecondPurchase(request: IHttpRequestOptions): void {
	const { url } = requestAddress(request);
	if (!PURCHASE_PATHS.has(normalizedPath(url.pathname))) return;
	const sent: unknown[] = [request.qs, propertyOf(request, 'form'), request.body];
	if (!sent.filter(isRecord).some((fields) => Object.hasOwn(fields, 'signature'))) return;
	throw new Error('A purchase is not sent a second time, because that could pay twice.');
}
