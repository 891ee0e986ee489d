import type { Endpoint } from '../endpoint';
import * as account from './account';
import * as area from './area';
import * as extraction from './extraction';
import * as openProxy from './openProxy';
import * as order from './order';
import * as proxyCheck from './proxyCheck';
import * as purchase from './purchase';
import * as token from './token';
import * as tunnel from './tunnel';
import * as userAgent from './userAgent';
import * as whitelist from './whitelist';

/**
 * All endpoints that the node calls, for code that needs all of them. A call imports only its own row, so
 * that no operation loads the codes of the others.
 * Source: the endpoint index and the rate limits of the service's documentation.
 */
export const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
	...account,
	...area,
	...extraction,
	...openProxy,
	...order,
	...proxyCheck,
	...purchase,
	...token,
	...tunnel,
	...userAgent,
	...whitelist,
};
