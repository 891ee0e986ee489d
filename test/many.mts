/** @returns what is made of each number from 0 on */
export function many<T>(count: number, make: (n: number) => T): T[] {
	return Array.from({ length: count }, (_none, n) => make(n));
}
