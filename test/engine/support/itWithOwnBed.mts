import type { SandboxOptions } from '../../../sandbox/sandbox.mts';
import { Customer } from './customer.mts';
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

/** The same, with a customer in it. */
export function itWithOwnCustomer(
	bodies: Readonly<Record<string, (customer: Customer, bed: TestBed) => Promise<void>>>,
	options?: SandboxOptions,
): void {
	const withCustomer = Object.entries(bodies).map(([name, body]): [string, Body] => [
		name,
		async (bed) => await body(new Customer(bed), bed),
	]);
	itWithOwnBed(Object.fromEntries(withCustomer), options);
}
