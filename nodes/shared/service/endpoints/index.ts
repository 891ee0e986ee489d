import type { Endpoint } from '../endpoint';
import * as account from './account';
import * as extraction from './extraction';
import * as lookup from './lookup';
import * as openProxy from './openProxy';
import * as order from './order';
import * as purchase from './purchase';

/**
 * All endpoints that the node calls, for code that needs all of them. A call imports only its own row.
 * Source: the endpoint index and the rate limits of the service's documentation.
 */
export const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
	...account,
	...extraction,
	...lookup,
	...openProxy,
	...order,
	...purchase,
};
