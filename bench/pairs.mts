import type { Pair } from './statistics.mts';

/** Does the work once. @returns what it took */
export type Sample = () => Promise<number>;

export interface Contest {
	readonly ours: Sample;
	readonly other: Sample;
	readonly pairs: number;
	/** Pairs before the first that counts; code gets faster while it runs for the first times. */
	readonly warmUps?: number;
}

/** Takes both samples of a pair right after each other, and lets the other one begin each time. */
export async function takePairs(contest: Contest): Promise<Pair[]> {
	const { ours, other, pairs, warmUps = 0 } = contest;
	const taken: Pair[] = [];
	for (let round = 0; round < warmUps + pairs; round++) {
		const pair = round % 2 === 0 ? await oursFirst(ours, other) : await otherFirst(ours, other);
		if (round >= warmUps) taken.push(pair);
	}
	return taken;
}

async function oursFirst(ours: Sample, other: Sample): Promise<Pair> {
	const first = await ours();
	return { ours: first, other: await other() };
}

async function otherFirst(ours: Sample, other: Sample): Promise<Pair> {
	const first = await other();
	return { ours: await ours(), other: first };
}
