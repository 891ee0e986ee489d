import { Gunzip } from 'fflate';

/**
 * Unpacks gzip, as far as it can be: files are cut off, and have other things behind them.
 *
 * @param partBytes packed bytes that are unpacked in one piece, and become a thousand times as many at most
 */
export function* gunzip(packed: Uint8Array, partBytes: number): Generator<Uint8Array> {
	let unpacked: Uint8Array[] = [];
	const stream = new Gunzip((part) => unpacked.push(part));
	for (let at = 0, isSound = true; isSound && at < packed.length; at += partBytes) {
		try {
			stream.push(packed.subarray(at, at + partBytes));
		} catch {
			isSound = false;
		}
		yield* unpacked;
		unpacked = [];
	}
}
