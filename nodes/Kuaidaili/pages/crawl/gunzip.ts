/** Compressed bytes that are unpacked in one piece, and become a thousand times as many at most. */
const GZIP_PART_BYTES = 1024;

/** A failure shows some parts later than where it is. */
const PARTS_BEFORE_FAILURE = 3;

/**
 * Unpacks bytes as far as they can be.
 *
 * @param carefulFrom from where on the unpacker gets one byte after the other
 * @returns the bytes, and where a failure showed; undefined where there was none
 */
async function unpack(bytes: Uint8Array<ArrayBuffer>, mostBytes: number, carefulFrom: number) {
	const stream = new DecompressionStream('gzip');
	const reader = stream.readable.getReader();
	const writer = stream.writable.getWriter();
	const chunks: Uint8Array[] = [];
	let length = 0;
	const readAllParts = async () => {
		for (let part = await reader.read(); !part.done; part = await reader.read()) {
			chunks.push(part.value);
			length += part.value.length;
		}
		return true;
	};
	const failure = () => false;
	const reading = readAllParts().catch(failure);
	let from = 0;
	let isWhole = true;
	while (isWhole && from < bytes.length && length <= mostBytes) {
		const end = from < carefulFrom ? Math.min(from + GZIP_PART_BYTES, carefulFrom) : from + 1;
		isWhole = await writer.write(bytes.subarray(from, end)).then(() => true, failure);
		from = end;
	}
	if (length > mostBytes) {
		await reader.cancel().catch(failure);
		return { chunks, failedAt: undefined };
	}
	// Fails where the last part does, and for what is cut off
	isWhole = await writer.close().then(() => isWhole, failure);
	isWhole = (await reading) && isWhole;
	return { chunks, failedAt: isWhole ? undefined : from };
}

/**
 * Unpacks what begins with gzip, as far as it can be: files are cut off, and have other things behind them.
 *
 * @returns a little more than `mostBytes` where there is more
 */
export async function gunzip(
	bytes: Uint8Array<ArrayBuffer>,
	mostBytes: number,
): Promise<readonly Uint8Array[]> {
	const { chunks, failedAt } = await unpack(bytes, mostBytes, Infinity);
	if (failedAt === undefined) return chunks;
	// The unpacker keeps back what it has not put out when it fails, which is nothing after each byte
	const carefulFrom = Math.max(0, failedAt - PARTS_BEFORE_FAILURE * GZIP_PART_BYTES);
	return (await unpack(bytes, mostBytes, carefulFrom)).chunks;
}
