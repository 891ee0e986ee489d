import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { onShutdown } from '../scripts/shutdown.mjs';
import type { EngineNode } from './engine.mts';
import type { ReaderRun } from './reader.mts';

const RUN = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('reader.mts', import.meta.url));

/** A process that has n8n's engine and the built node loaded, as a worker of n8n has. */
export interface Reader {
	run(settings: EngineNode): Promise<ReaderRun>;
	end(): void;
}

async function startReader(): Promise<Reader> {
	const child: ChildProcess = fork(RUN, [PROGRAM], {
		stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
	});
	onShutdown(() => Promise.resolve(void child.kill()));
	await once(child, 'message');
	return {
		async run(settings) {
			child.send(settings);
			const [run] = (await once(child, 'message')) as [ReaderRun];
			return run;
		},
		end: () => void child.disconnect(),
	};
}

/** One after the other, as loading takes a whole processor. */
export async function startReaders(count: number): Promise<Reader[]> {
	const readers: Reader[] = [];
	while (readers.length < count) readers.push(await startReader());
	return readers;
}
