import type { Random } from '../random.mts';

const BLOCK = 254;
const ADDRESSES = BLOCK * 256 * BLOCK;

/**
 * Different addresses 127.x.y.z, spread over the whole range so that address prefixes select
 * something. 127.0.0.* is left to everything else that runs on the machine.
 */
export function loopbackAddresses(count: number, random: Random): string[] {
	if (count > ADDRESSES) throw new RangeError(`There are only ${ADDRESSES} loopback addresses`);
	const start = Math.floor(random() * ADDRESSES);
	const step = stepThroughAll(random);
	return Array.from({ length: count }, (_, index) => addressAt((start + index * step) % ADDRESSES));
}

/** Without a common divisor with the number of addresses, a step visits each one before it repeats. */
function stepThroughAll(random: Random): number {
	let step = Math.floor(random() * ADDRESSES);
	while (greatestCommonDivisor(step, ADDRESSES) !== 1) step += 1;
	return step;
}

function greatestCommonDivisor(left: number, right: number): number {
	return right === 0 ? left : greatestCommonDivisor(right, left % right);
}

function addressAt(index: number): string {
	const second = 1 + (index % BLOCK);
	const rest = Math.floor(index / BLOCK);
	return `127.${second}.${rest % 256}.${1 + Math.floor(rest / 256)}`;
}
