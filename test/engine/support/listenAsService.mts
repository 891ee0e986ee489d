import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { everyHost } from '../../../harness/credentials.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { closeAtEnd } from './closeAtEnd.mts';

/** A server on loopback that stands for every host of the service. */
export interface ListeningService {
	readonly hosts: Sandbox['hosts'];
	/** Ends open connections, too; called after the last test in any case. */
	close(): Promise<void>;
}

export async function listenAsService(server: Server): Promise<ListeningService> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const origin = `http://127.0.0.1:${port}`;
	return {
		hosts: everyHost(origin),
		close: closeAtEnd(async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		}),
	};
}
