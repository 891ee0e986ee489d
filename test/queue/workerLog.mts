import type { N8nServer } from '../../harness/realN8n/index.mts';

/** The ids of the executions that a worker began, in their order; one that it began twice is there twice. */
export function startedBy(worker: N8nServer): string[] {
	return idsAfter('Worker started execution', worker);
}

/** Of those, the ones that are still going on. */
export function runningOn(worker: N8nServer): string[] {
	const ended = new Set([
		...idsAfter('Worker finished execution', worker),
		...idsAfter('Worker errored while running execution', worker),
	]);
	return startedBy(worker).filter((id) => !ended.has(id));
}

function idsAfter(words: string, worker: N8nServer): string[] {
	return [...worker.log().matchAll(new RegExp(`${words} (\\d+) \\(job`, 'g'))].map(
		([, id = '']) => id,
	);
}
