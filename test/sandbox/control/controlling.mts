import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';

export const EXPIRY = '/api/getorderexpiretime';

export let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false });
});

afterEach(() => sandbox.close());

export async function send(method: string, path: string, body?: unknown) {
	const response = await fetch(sandbox.controlUrl + path, {
		method,
		headers: body === undefined ? {} : { 'content-type': 'application/json' },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	return { status: response.status, text: await response.text() };
}
