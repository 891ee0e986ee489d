import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../../../harness/outsideData.mts';
import type { ServiceHosts } from '../../../nodes/shared/service/hosts.ts';

/** An answer on its way through the gateway, which a change may replace in part. */
export interface PassingAnswer {
	readonly status: number;
	readonly contentType: string;
	readonly body: unknown;
	/** The target of a redirect. */
	readonly location?: string;
}

/** @returns what is different, or undefined to leave the answer as it is */
export type Change = (
	answer: PassingAnswer,
	query: URLSearchParams,
) => Partial<PassingAnswer> | undefined;

/** Stands in front of each host of a sandbox, and changes answers by their path. */
export async function openGateway(
	hosts: ServiceHosts,
	changes: ReadonlyMap<string, readonly Change[]>,
): Promise<{ hosts: ServiceHosts; close(): Promise<void> }> {
	const servers: Server[] = [];
	const open = async (origin: string): Promise<string> => {
		const server = createServer((incoming, outgoing) => {
			void (async () => {
				const chunks: Buffer[] = [];
				for await (const chunk of incoming) if (chunk instanceof Buffer) chunks.push(chunk);
				const url = new URL(incoming.url ?? '/', origin);
				const isPost = incoming.method === 'POST';
				const response = await fetch(url, {
					method: incoming.method,
					...(isPost && {
						body: Buffer.concat(chunks),
						headers: { 'content-type': incoming.headers['content-type'] ?? '' },
					}),
				});
				let answer: PassingAnswer = {
					status: response.status,
					contentType: response.headers.get('content-type') ?? '',
					body: parsed(await response.text()),
				};
				for (const change of changes.get(url.pathname) ?? []) {
					answer = { ...answer, ...change(answer, url.searchParams) };
				}
				const date = response.headers.get('date') ?? '';
				const { status, contentType, body, location } = answer;
				const headers = { 'content-type': contentType, date };
				outgoing.writeHead(status, { ...headers, ...(location !== undefined && { location }) });
				outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
			})();
		});
		servers.push(server);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	};
	const entries = await Promise.all(
		Object.entries(hosts).map(async ([name, origin]) => [name, await open(origin)] as const),
	);
	return {
		hosts: Object.fromEntries(entries) as unknown as ServiceHosts,
		close: async () => {
			for (const server of servers) {
				server.closeAllConnections();
				await new Promise((resolve) => server.close(resolve));
			}
		},
	};
}

/** Replaces the data of a successful answer. */
export function withData(change: (data: unknown) => unknown): Change {
	return ({ body }) =>
		isRecord(body) && body.code === 0 ? { body: { ...body, data: change(body.data) } } : undefined;
}

/** Replaces fields of the data of a successful answer. */
export function withFields(fields: Readonly<Record<string, unknown>>): Change {
	return withData((data) => (isRecord(data) ? { ...data, ...fields } : data));
}

/** A failure of an extraction may come as text. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
