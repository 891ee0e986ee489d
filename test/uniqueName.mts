let names = 0;

/** Never the same twice in a process, so that no two orders or accounts share a pace. */
export function uniqueName(name: string): string {
	names += 1;
	return `${name}-${process.pid}-${names}`;
}

/** A key pair that nobody else has. */
export function uniqueKeys(): { secretId: string; secretKey: string } {
	return { secretId: uniqueName('id'), secretKey: uniqueName('key') };
}
