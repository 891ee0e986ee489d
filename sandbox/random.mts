/** Numbers from 0 to below 1. */
export type Random = () => number;

/** A small seedable generator (mulberry32): the same seed gives the same sandbox. */
export function seededRandom(seed: number): Random {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

export function pick<T>(values: readonly T[], random: Random): T {
	const value = values[Math.floor(random() * values.length)];
	if (value === undefined) throw new RangeError('There is nothing to pick from');
	return value;
}

/** Each whole number from 0 to below `count` once. Costs as much as is taken of it. */
export function* inRandomOrder(count: number, random: Random): Generator<number, void> {
	// Where a number was drawn, the last one that is left has taken its place.
	const moved = new Map<number, number>();
	for (let last = count - 1; last >= 0; last -= 1) {
		const drawn = Math.floor(random() * (last + 1));
		const value = moved.get(drawn) ?? drawn;
		moved.set(drawn, moved.get(last) ?? last);
		yield value;
	}
}

/** `count` different elements in random order; fewer when there are fewer. They leave the list. */
export function drawFrom<T extends object>(list: T[], count: number, random: Random): T[] {
	const drawn: T[] = [];
	while (drawn.length < count) {
		const index = Math.floor(random() * list.length);
		const chosen = list[index];
		const last = list.pop();
		if (chosen === undefined || last === undefined) break;
		if (index < list.length) list[index] = last;
		drawn.push(chosen);
	}
	return drawn;
}
