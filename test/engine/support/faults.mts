import type { Fault } from '../../../sandbox/sandbox.mts';

/** The next request to a path never comes to anything. */
export function missed(path: string): Fault {
	return { kind: 'cut', when: 'before', path, times: 1 };
}

/** The next request to a path is carried out, and its answer is lost. */
export function lost(path: string): Fault {
	return { kind: 'cut', when: 'after', path, times: 1 };
}

/** Requests to a path are answered after 300 ms, so that something else can happen meanwhile. */
export function slowly(path: string) {
	return { kind: 'delay', ms: 300, path } as const satisfies Fault;
}
