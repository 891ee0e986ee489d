function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
	return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Room for the beginning of a body in bytes, and for as much as it says that it has, up to the second one. */
const FIRST_BYTES = 65_536;
const MOST_FIRST_BYTES = 1_000_000;

/** Memory for a body. That of a large one can be given back at once: V8 frees its own late. */
function allocate(size: number): Buffer {
	return size > FIRST_BYTES
		? Buffer.from(new ArrayBuffer(size, { maxByteLength: size }))
		: Buffer.allocUnsafeSlow(size);
}

/** Gives the memory of a large body back, which is empty then. */
export function releaseBody({ buffer }: Buffer): void {
	if (buffer instanceof ArrayBuffer && buffer.resizable) buffer.resize(0);
}

/**
 * Reads the body of a response to its end. Resolves with undefined for more than `maxBytes`, and reads no further. The bytes
 * are put together as they come: chunks that are kept until the end would take the memory of the body once more.
 *
 * @param body a stream; anything else has no bytes
 * @param expected how many bytes it says that it has; NaN where it does not say
 * @returns whoever is through with it calls `releaseBody`
 */
export async function readLimitedBody(
	body: unknown,
	maxBytes: number,
	expected = NaN,
): Promise<Buffer | undefined> {
	let bytes: Buffer = Buffer.alloc(0);
	let size = 0;
	for await (const chunk of isAsyncIterable(body) ? body : []) {
		const part = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
		const needed = size + part.length;
		if (needed > maxBytes) return undefined;
		if (needed > bytes.length) {
			const first = expected <= MOST_FIRST_BYTES ? expected : FIRST_BYTES;
			const larger = allocate(Math.max(needed, first, 2 * bytes.length));
			bytes.copy(larger, 0, 0, size);
			releaseBody(bytes);
			bytes = larger;
		}
		bytes.set(part, size);
		size = needed;
	}
	return bytes.subarray(0, size);
}
