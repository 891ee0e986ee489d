import type { Socket } from 'node:net';
import type { ProxyDeath } from './proxyFaults.mts';

/** Ends what a client began, or leaves it hanging, in place of an answer. */
export function dieBeforeAnswer(client: Socket, death: ProxyDeath): void {
	if (death === 'reset') client.resetAndDestroy();
	if (death === 'close') client.destroy();
}

/** Lets so many bytes from the target through, and then nothing more: with `stall`, not even the end. */
export function dieAfter(bytes: number, target: Socket, death: ProxyDeath): void {
	const push = target.push.bind(target);
	let left = bytes;
	target.push = (chunk: unknown) => {
		if (left <= 0) return true;
		if (!Buffer.isBuffer(chunk)) return push(chunk);
		const passed = chunk.subarray(0, left);
		left -= passed.length;
		if (left <= 0 && death === 'cut') setImmediate(() => target.destroy());
		return push(passed);
	};
}
