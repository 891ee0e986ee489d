import type { SandboxOptions } from '../../../sandbox/sandbox.mts';
import { TestBed } from './testBed.mts';

type Body = (bed: TestBed) => Promise<void>;

/** Tests that change a sandbox so much, or fill its log so, that each has one of its own. */
export function itWithOwnBed(
	bodies: Readonly<Record<string, Body>>,
	options?: SandboxOptions,
): void {
	it.each(Object.entries(bodies))('%s', async (_name, body) => {
		const bed = await TestBed.start(options);
		await body(bed);
		expect(bed.sandbox.log.refusals()).toEqual([]);
		await bed.close();
	});
}
