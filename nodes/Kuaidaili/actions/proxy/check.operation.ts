import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { CallError, callFailure, DescribedError } from '../../../shared/api/errors';
import { FieldReader } from '../../../shared/fields/reader';
import { toProperty, type Field } from '../../../shared/fields/field';
import { choice, namedOptions, toggle, textKind } from '../../../shared/fields/kinds';
import { isList, isRecord } from '../../../shared/guards';
import { orderProperty, ordersOf } from '../../../shared/orders/orderField';
import { fetchOrderDetails, otherProduct } from '../../../shared/orders/queries';
import type { Endpoint } from '../../../shared/service/endpoint';
import {
	CHECK_DPS_VALID,
	CHECK_OPS_VALID,
	GET_DPS_VALID_TIME,
} from '../../../shared/service/endpoints/extraction';
import {
	PRODUCT_DESCRIPTIONS,
	PRODUCT_LABELS,
	productName,
} from '../../../shared/service/products';
import { dataQuery, type Query } from '../../../shared/api/call';
import { type Operation, type RunOutcome, tryItems } from '../../run/operation';
import type { Item } from '../../run/item';
import { optionsCollection } from '../../parameters/callOptions';
import { formatNumber, plural } from '../../../shared/wording';
import { proxyPool } from '../../proxies/proxyPool';
import { readProxyAddress } from './proxyAddress';

const OPEN = 'OPS';

/** How proxies are tested that the service does not check: the page shows the address that it sees. */
const OTHER_TEST = "To test others, open https://dev.kdlapi.com/testproxy with 'Page: Open'.";

const checkedProductField: Field = {
	name: 'product',
	displayName: 'Product',
	description: `The product of the order. Kuaidaili checks no others. ${OTHER_TEST}`,
	required: true,
	kind: choice(namedOptions(PRODUCT_LABELS, PRODUCT_DESCRIPTIONS, [OPEN, 'DPS']), {
		preset: 'DPS',
	}),
};

const anyText = textKind('the URL or the address of a proxy', () => true);

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
	kind: toggle(),
};

const CHECK_FIELDS = [checkedProductField, onlyValidField];

/** A proxy to check, as `host:port`, and everything that comes out with it. Sends nothing. Throws InvalidFieldError. */
async function readCheckRequest(item: Item, { json, binary }: INodeExecutionData) {
	const reader = new FieldReader().read(CHECK_FIELDS, item.parameter);
	const address = readProxyAddress(item.parameter(proxyField.name), proxyField.displayName);
	await item.reachableOrder();
	// 'Retry On Fail' takes an item with an error for a failure of this node
	const kept = Object.entries(json).filter(([name]) => name !== 'error' && name !== 'valid');
	const fields: IDataObject = Object.fromEntries(kept);
	return {
		item,
		isOpen: reader.textOf(checkedProductField.name) === OPEN,
		onlyValid: reader.textOf(onlyValidField.name) === '1',
		address,
		json: fields,
		binary,
	};
}

/**
 * Takes `proxy`, addresses with commas between them, and says something of each: by `host:port`, as it was sent. One that
 * the service said nothing about is not there.
 */
function statesQuery<T>(
	endpoint: Endpoint,
	what: string,
	isState: (value: unknown) => value is T,
): Query<ReadonlyMap<string, T>> {
	return dataQuery(endpoint, what, (data) => {
		// An empty map may be written as an empty list
		if (isList(data) && data.length === 0) return new Map();
		if (!isRecord(data)) return undefined;
		// What it is null for stays unknown; with anything else, it is the answer to another question
		const said = Object.entries(data).filter(([, state]) => state !== null);
		const states = said.filter((entry): entry is [string, T] => isState(entry[1]));
		return states.length === said.length ? new Map(states) : undefined;
	});
}

function isBoolean(value: unknown): value is boolean {
	return typeof value === 'boolean';
}

function isDuration(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

const privateProxyStates = statesQuery(CHECK_DPS_VALID, 'states of the proxies', isBoolean);
const openProxyStates = statesQuery(CHECK_OPS_VALID, 'states of the proxies', isBoolean);
const privateProxyLifetimes = statesQuery(
	GET_DPS_VALID_TIME,
	'remaining times of the proxies',
	isDuration,
);

interface Checked {
	readonly valid: ReadonlyMap<string, boolean>;
	readonly secondsLeft?: ReadonlyMap<string, number>;
	/** Why the remaining lifetimes are unknown, although this order has them. */
	readonly failure?: CallError;
}

/**
 * Checks private proxies in the way that the pay type of the order allows.
 *
 * @param proxy addresses with commas between them, as many as one call takes
 * @throws DescribedError for an order of another product, and what `runQuery` throws
 */
async function checkPrivateProxies({ ask }: Item, proxy: string): Promise<Checked> {
	// Guessed, a lifetime that the service knows would be missing in silence
	const order = await fetchOrderDetails(ask);
	const other = otherProduct(order, 'DPS');
	if (other !== undefined) {
		throw new DescribedError({
			message: `The proxies of this order (${productName(other)}) can't be checked as private proxies`,
			description: `Choose a private proxy order in 'Order'. For an open proxy order, change 'Product'. Kuaidaili checks no other proxies. ${OTHER_TEST}`,
		});
	}
	const valid = await ask(privateProxyStates, { proxy });
	// For pay-per-IP orders, only the extraction says it
	if (order.payType !== 'PRE_PAY') return { valid };
	const secondsLeft = await ask(privateProxyLifetimes, { proxy }).catch(callFailure);
	return secondsLeft instanceof CallError
		? { valid, failure: secondsLeft }
		: { valid, secondsLeft };
}

/** Null where the service said nothing. */
function validityIn({ valid, secondsLeft }: Checked, address: string): boolean | null {
	// It worked when it was tested, up to a minute ago, and has ended since
	return secondsLeft?.get(address) === 0 ? false : (valid.get(address) ?? null);
}

/** The service does not document how many one call takes. */
const MOST_PER_CALL = 100;

/** Proxies of one order that are checked by one call, which fails all items that it was made for. */
interface Batch {
	readonly item: Item;
	readonly isOpen: boolean;
	readonly order: string;
	/** All of them are there before the call is made. */
	readonly addresses: Set<string>;
	checked?: Promise<Checked>;
}

async function checkBatch({ item, isOpen, order, addresses }: Batch): Promise<Checked> {
	const proxy = [...addresses].join(',');
	const checked = isOpen
		? { valid: await item.ask(openProxyStates, { proxy }) }
		: await checkPrivateProxies(item, proxy);
	for (const address of addresses)
		if (validityIn(checked, address) === false) proxyPool.proxy(order, address).retire();
	return checked;
}

const UNKNOWN = 'Kuaidaili said nothing about this proxy, so its state is unknown.';

/** All items are read first, and the proxies of one order are checked together. */
async function checkItems(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const input = context.getInputData();
	const read = await tryItems(
		context,
		items,
		async (item, index) => await readCheckRequest(item, input[index]),
	);
	/** The last batch of each order, which may have room. */
	const batches = new Map<string, Batch>();
	const planned = await tryItems(context, read, async (request) => {
		const { item, isOpen, address } = request;
		const order = await item.orderKey();
		const key = `${String(isOpen)} ${order}`;
		const last = batches.get(key);
		const fits =
			last !== undefined && (last.addresses.has(address) || last.addresses.size < MOST_PER_CALL);
		const batch: Batch = fits ? last : { item, isOpen, order, addresses: new Set() };
		batches.set(key, batch);
		batch.addresses.add(address);
		return { request, batch };
	});
	let [total, working] = [0, 0];
	const checked = await tryItems(context, planned, async ({ request, batch }) => {
		const { address, json, binary, onlyValid } = request;
		const isFirst = batch.checked === undefined;
		const result = await (batch.checked ??= checkBatch(batch));
		const valid = validityIn(result, address);
		const secondsLeft = result.secondsLeft?.get(address);
		const record = { valid, ...json, ...(secondsLeft === undefined ? {} : { secondsLeft }) };
		total += 1;
		if (valid === true) working += 1;
		return {
			records: onlyValid && valid !== true ? [] : [record],
			binary,
			hint: valid === null ? UNKNOWN : undefined,
			// What went wrong besides is said once
			failure: isFirst ? result.failure : undefined,
		};
	});
	const hint = `${formatNumber(working)} of ${plural(total, 'proxy works', 'proxies work')}.`;
	return { items: checked, hints: total > 0 ? [hint] : [] };
}

export const proxyCheck: Operation = {
	option: {
		name: 'Check',
		value: 'check',
		action: 'Check proxies',
		description:
			'Check which private or open proxies work, and how long they will keep working. Kuaidaili tests them about once a minute with a search site in China.',
	},
	orders: (valueOf) => ordersOf(valueOf(checkedProductField.name)),
	properties: [
		// Above 'Order', whose list depends on it
		toProperty(checkedProductField),
		orderProperty,
		toProperty(proxyField),
		toProperty(onlyValidField),
		optionsCollection([]),
	],
	executeAll: checkItems,
};
