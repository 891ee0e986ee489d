import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Item, ItemOutcome, OperationResult, RunOutcome } from '../../../operation';
import { endsRun } from '../../runItems';
import { stock } from '../../../proxies/stock';
import {
	openProxyCheck,
	privateProxyCheck,
	type CheckAddresses,
	type Checked,
} from './checkAddresses';
import { readCheckRequest, type CheckRequest } from './fields';

/** The service does not document how many one call takes. */
const MOST_PER_CALL = 100;

/** An input item, and what is to be checked for it. */
interface CheckItem extends CheckRequest {
	readonly index: number;
	readonly item: Item;
}

const UNKNOWN = 'Kuaidaili said nothing about this proxy, so its state is unknown.';

/** One run of "Proxy: Check": all items are read first, and those of one order are checked together. */
export class CheckRun {
	private readonly outcomes = new Map<number, ItemOutcome>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly inputs: readonly Item[],
	) {}

	async execute(): Promise<RunOutcome> {
		const items: CheckItem[] = [];
		for (const index of this.inputs.keys()) {
			const read = await this.settle(index, async () => await this.read(index));
			if (read !== undefined) items.push(read);
			else if (this.hasEnded(index)) return { items: this.outcomes };
		}
		const groups = new Map<string, CheckItem[]>();
		for (const one of items) {
			const key = await this.settle(one.index, async () => await one.item.orderKey());
			if (key === undefined && this.hasEnded(one.index)) return { items: this.outcomes };
			if (key === undefined) continue;
			const groupKey = `${String(one.isOpen)} ${key}`;
			groups.set(groupKey, [...(groups.get(groupKey) ?? []), one]);
		}
		for (const group of groups.values()) {
			if (!(await this.checkGroup(group))) break;
		}
		return { items: this.outcomes };
	}

	private async read(index: number): Promise<CheckItem> {
		const item = this.inputs[index];
		const request = readCheckRequest(item);
		await item.reachableOrder();
		return { ...request, index, item };
	}

	/** The result of `work`. Undefined if it failed: the error is then the outcome of the item. */
	private async settle<T>(index: number, work: () => Promise<T>): Promise<T | undefined> {
		return await work().catch((error: unknown) => {
			this.outcomes.set(index, { error });
			return undefined;
		});
	}

	private hasEnded(index: number): boolean {
		const outcome = this.outcomes.get(index);
		return outcome !== undefined && 'error' in outcome && endsRun(this.context, outcome.error);
	}

	/** @returns false after an error that ends the run */
	private async checkGroup(group: readonly CheckItem[]): Promise<boolean> {
		const [{ item, index, isOpen }] = group;
		const start = async () =>
			isOpen ? openProxyCheck(item.run) : await privateProxyCheck(item.run);
		const check = await this.settle(index, start);
		if (check === undefined) return this.failAll(group, index);
		const addresses = [...new Set(group.map(({ address }) => address))];
		for (let at = 0; at < addresses.length; at += MOST_PER_CALL) {
			const some = new Set(addresses.slice(at, at + MOST_PER_CALL));
			const members = group.filter(({ address }) => some.has(address));
			if (!(await this.checkSome(check, [...some], members))) return false;
		}
		return true;
	}

	private async checkSome(
		check: CheckAddresses,
		addresses: readonly string[],
		members: readonly CheckItem[],
	): Promise<boolean> {
		const first = members[0].index;
		const checked = await this.settle(first, async () => await check(addresses));
		if (checked === undefined) return this.failAll(members, first);
		const order = await members[0].item.orderKey();
		for (const [address, isValid] of checked.valid) {
			const isOver = checked.secondsLeft.get(address) === 0;
			if (!isValid || isOver) stock.entry(order, address).fail();
		}
		for (const member of members) {
			const failure = member.index === first ? checked.failure : undefined;
			this.outcomes.set(member.index, { result: { ...this.resultOf(member, checked), failure } });
		}
		return true;
	}

	/** A failed call fails all items that it was made for. */
	private failAll(members: readonly CheckItem[], failed: number): boolean {
		const outcome = this.outcomes.get(failed);
		if (outcome === undefined || this.hasEnded(failed)) return false;
		for (const { index } of members) this.outcomes.set(index, outcome);
		return true;
	}

	private resultOf({ index, address, onlyValid }: CheckItem, checked: Checked): OperationResult {
		const { json, binary } = this.context.getInputData()[index];
		const secondsLeft = checked.secondsLeft.get(address);
		// It worked when it was tested, up to a minute ago, and has ended since
		const valid = secondsLeft === 0 ? false : (checked.valid.get(address) ?? null);
		const record: IDataObject = {
			...json,
			valid,
			...(secondsLeft === undefined ? {} : { secondsLeft }),
		};
		return {
			records: onlyValid && valid !== true ? [] : [record],
			binary,
			hint: valid === null ? UNKNOWN : undefined,
		};
	}
}
