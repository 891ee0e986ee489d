import { excerpt, readString } from '../outsideData.mts';

const REQUEST_LIMIT_MS = 30_000;

export interface Owner {
	readonly email: string;
	readonly password: string;
	readonly firstName: string;
	readonly lastName: string;
}

/** Sends requests to a running n8n, signed in as the owner. */
export class RestConnection {
	private cookie = '';

	private apiKey = '';

	constructor(private readonly url: string) {}

	/** Makes the first account of a new n8n, signs in with it, and makes a key for the public API. */
	async setUpOwner(owner: Owner): Promise<void> {
		const answer = await this.send('POST', '/rest/owner/setup', { ...owner });
		this.cookie = answer.headers
			.getSetCookie()
			.map((cookie) => cookie.split(';')[0])
			.join('; ');
		const key = await this.call('POST', '/rest/api-keys', {
			label: `demo ${Date.now()}`,
			expiresAt: null,
			scopes: ['execution:list', 'execution:read', 'workflow:activate', 'workflow:deactivate'],
		});
		this.apiKey = readString(key, 'data', 'rawApiKey');
	}

	protected async call(method: string, path: string, body?: unknown): Promise<unknown> {
		return await (await this.send(method, path, body)).json();
	}

	protected async send(method: string, path: string, body?: unknown): Promise<Response> {
		const answer = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				'content-type': 'application/json',
				// n8n ends a connection that is idle for five seconds, perhaps at the moment it is used again
				connection: 'close',
				...(this.cookie && { cookie: this.cookie }),
				...(this.apiKey && { 'x-n8n-api-key': this.apiKey }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
		});
		if (answer.ok) return answer;
		const text = await answer.text();
		throw new Error(`n8n answered ${method} ${path} with ${answer.status}: ${excerpt(text)}`);
	}
}
