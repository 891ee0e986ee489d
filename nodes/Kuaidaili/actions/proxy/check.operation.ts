import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { FieldReader, toProperty, type Field } from '../../../shared/fields/field';
import { choice, flag, text } from '../../../shared/fields/valueKinds';
import { orderProperty, ordersOf } from '../../../shared/orders/orderField';
import { PRODUCT_DESCRIPTIONS, PRODUCT_LABELS } from '../../../shared/service/products';
import type { Item, ItemOutcome, OperationResult, RunOperation, RunOutcome } from '../../operation';
import { optionsCollection } from '../../parameters/callOptions';
import { stock } from '../../proxies/stock';
import { endsRun, tryItems } from '../runItems';
import {
	openProxyCheck,
	privateProxyCheck,
	type CheckAddresses,
	type Checked,
} from './checkAddresses';
import { readProxyAddress } from './proxyAddress';

const OPEN = 'OPS';

export const productField: Field = {
	name: 'product',
	displayName: 'Product',
	description: 'The product of the order. Kuaidaili checks no others.',
	required: true,
	decides: true,
	kind: choice(
		[
			{ name: PRODUCT_LABELS.OPS, value: OPEN, description: PRODUCT_DESCRIPTIONS.OPS },
			{ name: PRODUCT_LABELS.DPS, value: 'DPS', description: PRODUCT_DESCRIPTIONS.DPS },
		],
		{ preset: 'DPS' },
	),
};

const anyText = text('the URL or the address of a proxy', () => true);

const proxyField: Field = {
	name: 'proxy',
	displayName: 'Proxy',
	description:
		'The proxy to check: its URL, its address, or an object that holds either. Only the address is sent, without the login.',
	kind: {
		...anyText,
		property: { ...anyText.property, default: '={{ $json.proxyUrl }}' },
	},
};

const onlyValidField: Field = {
	name: 'onlyValid',
	displayName: 'Only Valid',
	description: 'Whether to leave out the items whose proxy does not work',
	kind: { ...flag, property: { type: 'boolean', default: false } },
};

const checkProperties = [
	// Above 'Order', whose list depends on it
	toProperty(productField),
	orderProperty,
	toProperty(proxyField),
	toProperty(onlyValidField),
	optionsCollection([]),
];

interface CheckRequest {
	readonly item: Item;
	readonly isOpen: boolean;
	/** `host:port` */
	readonly address: string;
	readonly onlyValid: boolean;
}

/** Sends nothing. Throws InvalidFieldError. */
async function readRequest(item: Item): Promise<CheckRequest> {
	const { check } = item.callOptions();
	const valueOf = (name: string): unknown => item.parameter(name);
	const reader = new FieldReader({ check }).read([productField, onlyValidField], valueOf);
	const address = readProxyAddress(valueOf(proxyField.name), proxyField.displayName);
	await item.reachableOrder();
	return {
		item,
		isOpen: reader.text(productField.name) === OPEN,
		address,
		onlyValid: reader.text(onlyValidField.name) !== undefined,
	};
}

/** The service does not document how many one call takes. */
const MOST_PER_CALL = 100;

const UNKNOWN = 'Kuaidaili said nothing about this proxy, so its state is unknown.';

/** Those of one order, by the index of their item. */
type CheckGroup = ReadonlyArray<readonly [index: number, request: CheckRequest]>;

class CheckRun {
	readonly outcomes = new Map<number, ItemOutcome>();

	/** Whether an error ended the run. */
	isOver = false;

	constructor(private readonly context: IExecuteFunctions) {}

	async checkGroup(group: CheckGroup): Promise<void> {
		const [[, { item, isOpen }]] = group;
		const check = await this.forAll(group, async () =>
			isOpen ? openProxyCheck(item.run) : await privateProxyCheck(item.run),
		);
		if (check === undefined) return;
		const addresses = [...new Set(group.map(([, { address }]) => address))];
		for (let at = 0; at < addresses.length && !this.isOver; at += MOST_PER_CALL) {
			const some = new Set(addresses.slice(at, at + MOST_PER_CALL));
			const members = group.filter(([, { address }]) => some.has(address));
			await this.checkSome(check, [...some], members);
		}
	}

	/** A failed call fails all items that it was made for. */
	private async forAll<T>(group: CheckGroup, call: () => Promise<T>): Promise<T | undefined> {
		return await call().catch((error: unknown) => {
			this.isOver = endsRun(this.context, error);
			const failed = this.isOver ? group.slice(0, 1) : group;
			for (const [index] of failed) this.outcomes.set(index, { error });
			return undefined;
		});
	}

	private async checkSome(
		check: CheckAddresses,
		addresses: readonly string[],
		members: CheckGroup,
	): Promise<void> {
		const checked = await this.forAll(members, async () => await check(addresses));
		if (checked === undefined) return;
		const [[first, { item }]] = members;
		const order = await item.orderKey();
		for (const [address, isValid] of checked.valid) {
			const isOver = checked.secondsLeft.get(address) === 0;
			if (!isValid || isOver) stock.entry(order, address).fail();
		}
		for (const [index, request] of members) {
			const failure = index === first ? checked.failure : undefined;
			const result = { ...this.resultOf(index, request, checked), failure };
			this.outcomes.set(index, { result });
		}
	}

	private resultOf(
		index: number,
		{ address, onlyValid }: CheckRequest,
		checked: Checked,
	): OperationResult {
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

/** All items are read first, and those of one order are checked together. */
async function checkItems(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const read = await tryItems(
		context,
		items.keys(),
		async (index) => await readRequest(items[index]),
	);
	if (read.isOver) return { items: read.failed };
	const keyed = await tryItems(
		context,
		read.done.keys(),
		async (index) => await items[index].orderKey(),
	);
	if (keyed.isOver) return { items: keyed.failed };
	const groups = new Map<string, Array<CheckGroup[number]>>();
	for (const [index, request] of read.done) {
		const key = keyed.done.get(index);
		if (key === undefined) continue;
		const groupKey = `${String(request.isOpen)} ${key}`;
		groups.set(groupKey, [...(groups.get(groupKey) ?? []), [index, request]]);
	}
	const run = new CheckRun(context);
	for (const group of groups.values()) {
		if (!run.isOver) await run.checkGroup(group);
	}
	return {
		items: new Map<number, ItemOutcome>([...read.failed, ...keyed.failed, ...run.outcomes]),
	};
}

export const proxyCheck: RunOperation = {
	option: {
		name: 'Check',
		value: 'check',
		action: 'Check proxies',
		description:
			'Check which private or open proxies work, and how long they will keep working. Kuaidaili tests them about once a minute with a search site in China.',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: checkProperties,
	executeAll: checkItems,
};
