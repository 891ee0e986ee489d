/** In proportion it is 4; where each part meets each other, 16. */
const MOST_GROWTH = 8;
const READINGS = 3;
/** Of a shorter time, memory that is new to the process is a large part. */
const SHORTEST_MS = 10;

/** Processor time of a work, in milliseconds: others on the machine do not count. */
async function processorMs(work: () => unknown): Promise<number> {
	const start = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1000;
}

/** Expects four times the work to take about four times as long: the shortest of some readings. */
export async function expectInProportion(
	size: number,
	work: (size: number) => unknown,
): Promise<void> {
	let [once, fourfold] = [Infinity, Infinity];
	const growth = () => fourfold / Math.max(once, SHORTEST_MS);
	for (let reading = 0; reading < READINGS; reading += 1) {
		fourfold = Math.min(fourfold, await processorMs(() => work(4 * size)));
		once = Math.min(once, await processorMs(() => work(size)));
		if (growth() < MOST_GROWTH) break;
	}
	expect(growth()).toBeLessThan(MOST_GROWTH);
}
