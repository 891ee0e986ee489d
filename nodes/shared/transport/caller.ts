import type { IHttpRequestOptions } from 'n8n-workflow';

import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import type { FlatParameters } from '../credential/signature';
import type { Endpoint } from '../service/endpoint';
import type { ApiError } from './callErrors';
import type { Secrets } from './cleanText';
import type { HttpResponse } from '../response/httpResponse';
import type { Waiter } from './wait';

export interface ServiceCall {
	readonly endpoint: Endpoint;
	/** What to send, as strings; authentication adds its own parameters. */
	readonly parameters: FlatParameters;
	/** Shortest time between two calls where the order's plan decides; else the endpoint's own. */
	readonly intervalMs?: number;
	/** Wait and repeat where too many addresses call with the order, 65 seconds at most. */
	readonly waitForCallers?: boolean;
	/** Wait and repeat when the order is too new to be used, 65 seconds at most. */
	readonly waitForNewOrder?: boolean;
}

/** Who calls: a node's execution, or the test of a credential. */
export interface Caller extends Waiter {
	readonly credential: KuaidailiCredential;
	/** For one call, with all its attempts if it may be repeated. */
	readonly timeoutMs: number;
	/** Texts that must not be shown, as they are at this moment. */
	secrets(): Secrets;
	/** Signs and sends; resolves with every HTTP status. */
	send(request: IHttpRequestOptions): Promise<HttpResponse>;
	/** Fetches the token that `send` needs, so that `send` doesn't have to wait; rejects as `send` does. */
	prepare(): Promise<void>;
	/** Called with each refusal by the service, before it is thrown or tried again. */
	onRefusal?(error: ApiError): void;
	/**
	 * Forgets the token or the key pair that the service refused, so that `prepare` fetches it anew; false
	 * where nothing can be fetched anew.
	 */
	renewAuthentication(refusal: ApiError): boolean;
}
