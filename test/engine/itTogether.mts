import type { SandboxOptions } from '../../sandbox/sandbox.mts';
import { startTogether } from './startTogether.mts';
import { TestBed } from './testBed.mts';

type Body = (bed: TestBed) => Promise<void>;

const LONGEST_MS = 30_000;

/** Tests that mostly wait: they run at the same time, each with a sandbox of its own. */
export function itTogether(bodies: Readonly<Record<string, Body>>, options?: SandboxOptions): void {
	const names = Object.keys(bodies);
	const beds = new Map<string, TestBed>();

	async function run(name: string): Promise<void> {
		const bed = beds.get(name);
		if (bed === undefined) throw new Error(`"${name}" has no sandbox`);
		await bodies[name](bed);
		expect(bed.sandbox.log.refusals()).toEqual([]);
	}

	beforeAll(async () => {
		// All of them first: starting one keeps the process so busy that a request would arrive late
		for (const name of names) beds.set(name, await TestBed.start(options));
	}, LONGEST_MS);
	const outcomeOf = startTogether(Object.fromEntries(names.map((name) => [name, () => run(name)])));
	for (const name of names) it(name, async () => await outcomeOf(name), LONGEST_MS);
	afterAll(async () => {
		for (const bed of beds.values()) await bed.close();
	});
}
