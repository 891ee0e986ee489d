import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import {
	CallError,
	callFailure,
	DescribedError,
	InvalidResponseError,
	explaining,
} from '../../../shared/api/callErrors';
import { excerptOfData } from '../../../shared/api/cleanText';
import { FieldReader, toProperty, type Field } from '../../../shared/fields/field';
import { choice, namedOptions, oneOrZero, text } from '../../../shared/fields/valueKinds';
import { isList, isRecord } from '../../../shared/guards';
import { orderProperty, ordersOf } from '../../../shared/orders/orderField';
import { fetchOrderDetails, otherProduct } from '../../../shared/orders/orderDetails';
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
import type { Query } from '../../../shared/api/query';
import type { OperationResult, RunOperation, RunOutcome } from '../../run/operation';
import type { Item } from '../../run/item';
import { optionsCollection } from '../../parameters/callOptions';
import { formatNumber, plural } from '../../../shared/wording';
import type { ExtractedProxy } from '../../proxies/entries';
import { proxyPool } from '../../proxies/proxyPool';
import { outcomesOf, tryItems, untried } from '../../run/runItems';
import { readProxyAddress } from './proxyAddress';

const OPEN = 'OPS';

/** How proxies are tested that the service does not check: the page shows the address that it sees. */
const OTHER_TEST = "To test others, open https://dev.kdlapi.com/testproxy with 'Page: Open'.";

export const checkedProductField: Field = {
	name: 'product',
	displayName: 'Product',
	description: `The product of the order. Kuaidaili checks no others. ${OTHER_TEST}`,
	required: true,
	decides: true,
	kind: choice(namedOptions(PRODUCT_LABELS, PRODUCT_DESCRIPTIONS, [OPEN, 'DPS']), {
		preset: 'DPS',
	}),
};

const proxiesFromField: Field = {
	name: 'proxiesFrom',
	displayName: 'Proxies From',
	description: 'Which proxies to check',
	required: true,
	decides: true,
	kind: choice(
		[
			{ name: 'Input', value: 'input', description: 'The proxy of each input item' },
			{
				name: 'Kept for Reuse',
				value: 'kept',
				description: 'All proxies of the order that this n8n keeps for reuse',
			},
		],
		{ preset: 'input' },
	),
};

const anyText = text('the URL or the address of a proxy', () => true);

const proxyField: Field = {
	name: 'proxy',
	displayName: 'Proxy',
	when: { [proxiesFromField.name]: ['input'] },
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
	kind: oneOrZero,
};

/** A proxy to check, and what else comes out with it. */
interface CheckedProxy {
	/** `host:port` */
	readonly address: string;
	readonly json: IDataObject;
	readonly binary?: IBinaryKeyData;
}

interface CheckRequest {
	readonly item: Item;
	readonly isOpen: boolean;
	readonly isOfInput: boolean;
	readonly proxies: readonly CheckedProxy[];
	readonly onlyValid: boolean;
}

const CHECK_FIELDS = [checkedProductField, proxiesFromField, onlyValidField];

function fieldsWithout(fields: Readonly<IDataObject>, names: readonly string[]): IDataObject {
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Sends nothing. Throws InvalidFieldError. */
async function readCheckRequest(item: Item, input: INodeExecutionData): Promise<CheckRequest> {
	const { check } = item.callOptions();
	const valueOf = (name: string): unknown => item.parameter(name);
	const reader = new FieldReader({ check }).read(CHECK_FIELDS, valueOf);
	const isOfInput = reader.text(proxiesFromField.name) !== 'kept';
	// 'Retry On Fail' takes an item with an error for a failure of this node
	const json = fieldsWithout(input.json, ['error', 'valid']);
	const proxiesOf = async (): Promise<CheckedProxy[]> => {
		if (!isOfInput) return proxyPool.keptOf(await item.orderKey()).map(keptProxy);
		const address = readProxyAddress(valueOf(proxyField.name), proxyField.displayName);
		return [{ address, json, binary: input.binary }];
	};
	const proxies = await proxiesOf();
	await item.reachableOrder();
	return {
		item,
		isOpen: reader.text(checkedProductField.name) === OPEN,
		isOfInput,
		proxies,
		onlyValid: reader.text(onlyValidField.name) === '1',
	};
}

/** A kept proxy as it is checked: without its login, which nobody asked for. */
function keptProxy(proxy: ExtractedProxy): CheckedProxy {
	return { address: proxy.address, json: fieldsWithout(proxy, ['username', 'password', 'raw']) };
}

/** Results by `host:port`, as it was sent. A proxy that the service said nothing about is not there. */
type States<T> = ReadonlyMap<string, T>;

/** Takes `proxy`, addresses with commas between them, and says something of each. */
function statesQuery<T>(
	endpoint: Endpoint,
	isState: (value: unknown) => value is T,
	problem: string,
): Query<States<T>> {
	return {
		endpoint,
		parse({ data }, secrets) {
			// An empty map may be written as an empty list
			const isMap = isRecord(data) || (isList(data) && data.length === 0);
			// What it is null for stays unknown; with anything else, it is the answer to another question
			const said = Object.entries(isRecord(data) ? data : {}).filter(([, state]) => state !== null);
			const states = said.filter((entry): entry is [string, T] => isState(entry[1]));
			if (isMap && states.length === said.length) return new Map(states);
			throw new InvalidResponseError(problem, excerptOfData(data, secrets));
		},
	};
}

function isBoolean(value: unknown): value is boolean {
	return typeof value === 'boolean';
}

function isDuration(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

const NO_STATES = 'does not say which proxies work';

const privateProxyStates = statesQuery(CHECK_DPS_VALID, isBoolean, NO_STATES);
const openProxyStates = statesQuery(CHECK_OPS_VALID, isBoolean, NO_STATES);

const privateProxyLifetimes = statesQuery(
	GET_DPS_VALID_TIME,
	isDuration,
	'does not say how long the proxies live on',
);

interface Checked {
	readonly valid: States<boolean>;
	readonly secondsLeft?: States<number>;
	/** Why the remaining lifetimes are unknown, although this order has them. */
	readonly failure?: CallError;
}

/** @param proxy addresses with commas between them, as many as one call takes */
async function checkOpenProxies({ run }: Item, proxy: string): Promise<Checked> {
	const note = "Check that 'Order' is an open proxy order.";
	return { valid: await run(openProxyStates, { proxy }).catch(explaining(note)) };
}

const PER_IP_NOTE =
	"Kuaidaili can't check the proxies of professional pay-per-IP orders (one lifetime in minutes, such as 7 minutes), and this is a pay-per-IP order. Use 'secondsLeft' from 'Proxy: Extract' instead.";

/**
 * How private proxies are checked depends on how the order is paid.
 *
 * @throws DescribedError for an order of another product, and what `callService` throws
 */
async function checkPrivateProxies({ run }: Item, proxy: string): Promise<Checked> {
	// Guessed, a lifetime that the service knows would be missing in silence
	const facts = await fetchOrderDetails(run);
	const other = otherProduct(facts, 'DPS');
	if (other !== undefined) {
		throw new DescribedError({
			message: `The proxies of this order (${productName(other)}) can't be checked as private proxies`,
			description: `Choose a private proxy order in 'Order'. For an open proxy order, change 'Product'. Kuaidaili checks no other proxies. ${OTHER_TEST}`,
		});
	}
	const isPerIp = facts.payType === 'PRE_PAY_IP';
	const note = isPerIp ? PER_IP_NOTE : "Check that 'Order' is a private proxy order.";
	const valid = await run(privateProxyStates, { proxy }).catch(explaining(note));
	// For pay-per-IP orders, only the extraction says it
	if (facts.payType !== 'PRE_PAY') return { valid };
	const secondsLeft = await run(privateProxyLifetimes, { proxy }).catch(callFailure);
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

/** Addresses of one order that are checked by one call, which fails all items that it was made for. */
interface Batch {
	/** The addresses, all of which are there before the call is made. */
	readonly addresses: Set<string>;
	checked?: Promise<Checked>;
}

/** The batch of an order that has an address, or has room for it; a new one where there is none. */
function batchFor(batches: Batch[], address: string): Batch {
	const fitting = batches.find(
		({ addresses }) => addresses.has(address) || addresses.size < MOST_PER_CALL,
	);
	const batch = fitting ?? { addresses: new Set<string>() };
	if (fitting === undefined) batches.push(batch);
	batch.addresses.add(address);
	return batch;
}

async function checkBatch({ item, isOpen }: CheckRequest, { addresses }: Batch): Promise<Checked> {
	const check = isOpen ? checkOpenProxies : checkPrivateProxies;
	const checked = await check(item, [...addresses].join(','));
	const order = await item.orderKey();
	for (const address of addresses)
		if (validityIn(checked, address) === false) proxyPool.proxy(order, address).retire();
	return checked;
}

const UNKNOWN = 'Kuaidaili said nothing about this proxy, so its state is unknown.';

const NONE_KEPT =
	"This n8n keeps no proxies of this order. 'Proxy: Extract' and 'Page: Open' keep them with 'Reuse Proxies', each process on its own, until they expire.";

function recordOf({ address, json }: CheckedProxy, checked: Checked): IDataObject {
	const secondsLeft = checked.secondsLeft?.get(address);
	const known = secondsLeft === undefined ? {} : { secondsLeft };
	return { valid: validityIn(checked, address), ...json, ...known };
}

/** All items are read first, and the proxies of one order are checked together. */
async function checkItems(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const input = context.getInputData();
	const read = await tryItems(
		context,
		untried(items),
		async (item, index) => await readCheckRequest(item, input[index]),
	);
	const batchesOf = new Map<string, Batch[]>();
	const ordersOfKept = new Set<string>();
	const planned = await tryItems(context, read, async (request) => {
		const order = await request.item.orderKey();
		const key = `${String(request.isOpen)} ${order}`;
		// Several items with the same order have the same ones
		const isRepeated = !request.isOfInput && ordersOfKept.has(order);
		if (!request.isOfInput) ordersOfKept.add(order);
		const proxies = isRepeated ? [] : request.proxies;
		const batches = batchesOf.get(key) ?? [];
		batchesOf.set(key, batches);
		const tasks = proxies.map((proxy) => ({ proxy, batch: batchFor(batches, proxy.address) }));
		return { request, tasks, isRepeated };
	});
	let working = 0;
	let total = 0;
	const checked = await tryItems(
		context,
		planned,
		async ({ request, tasks, isRepeated }): Promise<OperationResult> => {
			const records: IDataObject[] = [];
			let isUnknown = false;
			let failure: CallError | undefined;
			for (const { proxy, batch } of tasks) {
				const isFirst = batch.checked === undefined;
				const result = await (batch.checked ??= checkBatch(request, batch));
				// What went wrong besides is said once
				if (isFirst) failure ??= result.failure;
				const record = recordOf(proxy, result);
				total += 1;
				if (record.valid === true) working += 1;
				isUnknown ||= record.valid === null;
				if (!request.onlyValid || record.valid === true) records.push(record);
			}
			const isEmpty = request.proxies.length === 0 && !isRepeated;
			return {
				records,
				binary: request.isOfInput ? request.proxies[0].binary : undefined,
				hint: isUnknown ? UNKNOWN : isEmpty ? NONE_KEPT : undefined,
				failure,
			};
		},
	);
	const hint = `${formatNumber(working)} of ${plural(total, 'proxy works', 'proxies work')}.`;
	return { items: outcomesOf(checked), hints: total > 0 ? [hint] : [] };
}

export const proxyCheck: RunOperation = {
	kind: 'run',
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
		toProperty(proxiesFromField),
		toProperty(proxyField),
		toProperty(onlyValidField),
		optionsCollection([]),
	],
	executeAll: checkItems,
};
