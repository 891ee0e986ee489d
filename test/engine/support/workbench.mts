import type { SandboxOptions } from '../../../sandbox/sandbox.mts';
import { Customer } from './customer.mts';
import { n8nRecords, useDeduplicationRecords } from './deduplication.mts';
import { TestBed, useTestBed } from './testBed.mts';

/** Stands for something that each test has anew, made when the test first uses it. */
export function eachTest<T extends object>(make: () => T): T {
	let made: T | undefined;
	afterEach(() => {
		made = undefined;
	});
	return new Proxy({} as T, {
		get(_none, name) {
			const own = (made ??= make());
			const value: unknown = Reflect.get(own, name);
			return typeof value === 'function' ? value.bind(own) : value;
		},
	});
}

/** Options of the sandbox, and whether n8n has its deduplication records, as on a server. */
export interface WorkbenchOptions extends SandboxOptions {
	withRecords?: boolean;
}

/** A test bed for the tests of a block, and a customer for each test, who is made when the test first needs one. */
export function useWorkbench({ withRecords = false, ...options }: WorkbenchOptions = {}) {
	if (withRecords) {
		beforeAll(useDeduplicationRecords);
		afterEach(() => Object.assign(n8nRecords, { isOut: false }));
	}
	const bed = useTestBed(options);
	return { bed, customer: eachTest(() => new Customer(bed())) };
}

type Body = (customer: Customer) => Promise<void>;

/** Tests that change a sandbox so much, or fill its log so, that each has one of its own, and a customer in it. */
export function itWithOwnBed(
	bodies: Readonly<Record<string, Body>>,
	options?: SandboxOptions,
): void {
	it.each(Object.entries(bodies))('%s', async (_name, body) => {
		const bed = await TestBed.start(options);
		await body(new Customer(bed));
		expect(bed.sandbox.log.refusals()).toEqual([]);
		await bed.close();
	});
}
