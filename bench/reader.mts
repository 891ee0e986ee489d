/** One worker among several: a process of its own that runs the node as it is told, each time it is told. */
import type { EngineNode } from './engine.mts';

/** What one run took, and why it failed if it did. */
export interface ReaderRun {
	readonly begin: number;
	readonly end: number;
	readonly failure?: string;
}

const { runInEngine } = await import('./engine.mts');

async function read(settings: EngineNode): Promise<ReaderRun> {
	const begin = Date.now();
	try {
		const { items } = await runInEngine(settings);
		const failure =
			items.length === settings.itemCount ? undefined : `${items.length} items came out`;
		return { begin, end: Date.now(), failure };
	} catch (error) {
		return { begin, end: Date.now(), failure: error instanceof Error ? error.message : 'unknown' };
	}
}

process.on('message', (settings: EngineNode) => {
	void read(settings).then((run) => process.send?.(run));
});
process.send?.('ready');
