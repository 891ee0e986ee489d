import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { FieldReader, toProperty, type Field } from '../../../shared/fields/field';
import { choice, flag, text } from '../../../shared/fields/valueKinds';
import { orderProperty, ordersOf } from '../../../shared/orders/orderField';
import { PRODUCT_DESCRIPTIONS, PRODUCT_LABELS } from '../../../shared/service/products';
import type { Item, OperationResult, RunOperation, RunOutcome } from '../../operation';
import { optionsCollection } from '../../parameters/callOptions';
import { stock } from '../../proxies/stock';
import { runItems, tryItems } from '../runItems';
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

/** The addresses of one order: each call checks as many as it takes, and fails all items that it was made for. */
class OrderCheck {
	/** In the order in which they are checked, with their positions. */
	private readonly positions = new Map<string, number>();

	private readonly calls = new Map<number, Promise<Checked>>();

	private check?: Promise<CheckAddresses>;

	constructor(private readonly request: CheckRequest) {}

	/** All are added before the first one is checked. */
	add(address: string): void {
		if (!this.positions.has(address)) this.positions.set(address, this.positions.size);
	}

	/** Says to the first who asks what went wrong besides. */
	async stateOf(address: string): Promise<Checked> {
		const call = Math.floor((this.positions.get(address) ?? 0) / MOST_PER_CALL);
		const known = this.calls.get(call);
		if (known !== undefined) return { ...(await known), failure: undefined };
		const first = call * MOST_PER_CALL;
		const checked = this.checkSome([...this.positions.keys()].slice(first, first + MOST_PER_CALL));
		this.calls.set(call, checked);
		return await checked;
	}

	private async checkSome(addresses: readonly string[]): Promise<Checked> {
		const { item, isOpen } = this.request;
		this.check ??= isOpen ? Promise.resolve(openProxyCheck(item.run)) : privateProxyCheck(item.run);
		const check = await this.check;
		const checked = await check(addresses);
		const order = await item.orderKey();
		for (const [address, isValid] of checked.valid) {
			const isOver = checked.secondsLeft.get(address) === 0;
			if (!isValid || isOver) stock.entry(order, address).fail();
		}
		return checked;
	}
}

function resultOf(
	{ json, binary }: INodeExecutionData,
	{ address, onlyValid }: CheckRequest,
	{ valid: states, secondsLeft: lifetimes, failure }: Checked,
): OperationResult {
	const secondsLeft = lifetimes.get(address);
	// It worked when it was tested, up to a minute ago, and has ended since
	const valid = secondsLeft === 0 ? false : (states.get(address) ?? null);
	const known = secondsLeft === undefined ? {} : { secondsLeft };
	return {
		records: onlyValid && valid !== true ? [] : [{ ...json, valid, ...known }],
		binary,
		hint: valid === null ? UNKNOWN : undefined,
		failure,
	};
}

/** All items are read first, and those of one order are checked together. */
async function checkItems(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const input = context.getInputData();
	const read = await tryItems(
		context,
		items.keys(),
		async (index) => await readRequest(items[index]),
	);
	if (read.isOver) return { items: read.failed };
	const orders = new Map<string, OrderCheck>();
	const planned = await tryItems(context, items.keys(), async (index) => {
		const request = read.done.get(index);
		if (request === undefined) throw read.failed.get(index)?.error;
		const key = `${String(request.isOpen)} ${await request.item.orderKey()}`;
		const order = orders.get(key) ?? new OrderCheck(request);
		orders.set(key, order);
		order.add(request.address);
		return async () => resultOf(input[index], request, await order.stateOf(request.address));
	});
	if (planned.isOver) return { items: planned.failed };
	return await runItems(context, async (index) => {
		const check = planned.done.get(index);
		if (check === undefined) throw planned.failed.get(index)?.error;
		return await check();
	});
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
