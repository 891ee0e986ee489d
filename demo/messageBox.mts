import fastify from 'fastify';
import { onShutdown } from '../scripts/shutdown.mjs';
import { readString } from '../harness/outsideData.mts';

/** Stands for the messenger of the examples: keeps what is sent to it. */
export interface MessageBox {
	/** Where messages are sent to. */
	readonly url: string;
	/** The texts, in the order in which they came. */
	readonly texts: readonly string[];
}

export async function openMessageBox(): Promise<MessageBox> {
	const texts: string[] = [];
	const app = fastify({ forceCloseConnections: true });
	app.post('/messages', ({ body }) => {
		texts.push(readString(body, 'text'));
		return { received: texts.length };
	});
	const address = await app.listen({ host: '127.0.0.1', port: 0 });
	onShutdown(() => app.close());
	return { url: `${address}/messages`, texts };
}
