import type { IHttpRequestOptions } from 'n8n-workflow';

import { propertyOf } from '../guards';

/** Where a request goes, and which option says so: the HTTP Request node uses n8n's older `uri`. */
export function requestAddress(request: IHttpRequestOptions): { key: 'url' | 'uri'; url: URL } {
	const legacyUri = propertyOf(request, 'uri');
	const key = request.url === undefined && legacyUri !== undefined ? 'uri' : 'url';
	const address = String(key === 'uri' ? legacyUri : request.url);
	// Joined as axios does: a leading slash does not drop the path of the base
	const full =
		request.baseURL === undefined || /^https?:/i.test(address)
			? address
			: `${request.baseURL.replace(/\/+$/, '')}/${address.replace(/^\/+/, '')}`;
	return { key, url: new URL(full) };
}
