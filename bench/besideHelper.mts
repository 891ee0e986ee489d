import type { INodeExecutionData, INodeType } from 'n8n-workflow';
import type { Sample } from './pairs.mts';
import { median, ratioOf, type Pair } from './statistics.mts';

/** Three times, or sizes, that were taken one right after the other. */
export interface Round {
	readonly node: number;
	/** n8n's own request helper in place of the node's code. */
	readonly helper: number;
	readonly raw: number;
}

export interface RoundsPlan {
	readonly node: Sample;
	readonly helper: Sample;
	readonly raw: Sample;
	readonly rounds: number;
	/** Rounds before the first that counts; code gets faster while it runs for the first times. */
	readonly warmUps: number;
}

/** Takes the three samples of a round right after each other, and lets the first and the last change places. */
export async function takeRounds(plan: RoundsPlan): Promise<Round[]> {
	const taken: Round[] = [];
	for (let index = 0; index < plan.warmUps + plan.rounds; index++) {
		const round = index % 2 === 0 ? await nodeFirst(plan) : await rawFirst(plan);
		if (index >= plan.warmUps) taken.push(round);
	}
	return taken;
}

async function nodeFirst({ node, helper, raw }: RoundsPlan): Promise<Round> {
	const first = await node();
	const second = await helper();
	return { node: first, helper: second, raw: await raw() };
}

async function rawFirst({ node, helper, raw }: RoundsPlan): Promise<Round> {
	const first = await raw();
	const second = await helper();
	return { raw: first, helper: second, node: await node() };
}

/** What the node takes beyond n8n's helper, as if the node had sent as fast as the raw call. */
export function lessHelper(rounds: readonly Round[]): Pair[] {
	return rounds.map(({ node, helper, raw }) => ({ ours: node - helper + raw, other: raw }));
}

/** The node beside the raw call, with all that n8n does for its requests. */
export function asTheyAre(rounds: readonly Round[]): Pair[] {
	return rounds.map(({ node, raw }) => ({ ours: node, other: raw }));
}

/** How much of the ratio is n8n's, and how much the node's. */
export function shares(rounds: readonly Round[]): Record<string, number> {
	return {
		nodeVsRaw: ratioOf(asTheyAre(rounds)).ratio,
		n8nHelperVsRaw: median(rounds.map(({ helper, raw }) => helper / raw)),
		nodeVsN8nHelper: median(rounds.map(({ node, helper }) => node / helper)),
		lessN8nHelper: ratioOf(lessHelper(rounds)).ratio,
	};
}

/** What the answer to the request of one input item becomes. */
export type ToItems = (answer: unknown, item: number) => INodeExecutionData[];

/** What a node would do that only sends the request: n8n's part of each call. */
export function requestHelperOnly(url: string, toItems: ToItems): INodeType['execute'] {
	return async function execute() {
		const items: INodeExecutionData[] = [];
		for (let item = 0; item < this.getInputData().length; item++) {
			const text: unknown = await this.helpers.httpRequest({ url, encoding: 'text', json: false });
			items.push(...toItems(JSON.parse(String(text)), item));
		}
		return [items];
	};
}

/** The same with nothing of n8n. */
export async function rawCall(
	url: string,
	toItems: ToItems,
	item = 0,
): Promise<INodeExecutionData[]> {
	return toItems(JSON.parse(await (await fetch(url)).text()), item);
}
