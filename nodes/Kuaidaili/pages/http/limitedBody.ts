function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
	return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Chunks that are put together while others come: a sender may send a byte in each, and each costs a hundred. */
const CHUNKS_AT_ONCE = 1000;

/**
 * Reads the body of a response to its end. Resolves with undefined for more than `maxBytes`, and reads no further.
 *
 * @param body a stream; anything else has no bytes
 */
export async function readLimitedBody(
	body: unknown,
	maxBytes: number,
): Promise<Buffer | undefined> {
	const chunks: Uint8Array[] = [];
	let latest: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of isAsyncIterable(body) ? body : []) {
		const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
		size += bytes.length;
		if (size > maxBytes) return undefined;
		latest.push(bytes);
		if (latest.length < CHUNKS_AT_ONCE) continue;
		chunks.push(Buffer.concat(latest));
		latest = [];
	}
	return Buffer.concat([...chunks, ...latest], size);
}
