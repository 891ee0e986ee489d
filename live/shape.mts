import { isRecord } from '../harness/outsideData.mts';
import { listedProduct, ORDER_STATUSES, PAY_TYPES } from '../nodes/shared/service/products.ts';

/**
 * The shape of a value: for each path the kinds of value found there. A list's items are at `path[]`, the
 * values of an object whose keys are data at `path{}`, and their keys at `path{key}`.
 */
export type Shape = ReadonlyMap<string, ReadonlySet<string>>;

/** A path, and the two shapes' kinds there. `live` or `sandbox` is empty where the path is only in the other. */
export interface ShapeDifference {
	readonly path: string;
	readonly live: readonly string[];
	readonly sandbox: readonly string[];
}

const PRODUCT_CODES = ['DPS', 'KPS', 'OPS', 'TPS', 'TPS_PRO', 'FPS', 'SFPS', 'FPS_STATIC'];

/** Fields whose values are words of a documented list. */
const CODE_WORDS: Readonly<Record<string, readonly string[]>> = {
	product: PRODUCT_CODES,
	pay_type: Object.keys(PAY_TYPES),
	status: ORDER_STATUSES.map(({ value }) => value),
	auto_renew_time_type: ['DAY', 'WEEK', 'MONTH', 'YEAR'],
	type: ['Basic'],
};

/** Fields of order details that hold the name of a tunnel; a stand-in has a loopback address there. */
const TUNNEL_NAMES = ['tunnel_host', 'fps_host'];

/** From the most special to the most general. All are linear. */
const FORMATS: ReadonlyArray<readonly [format: string, pattern: RegExp]> = [
	['an empty text', /^$/],
	['date and time', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/],
	['a date', /^\d{4}-\d\d-\d\d$/],
	['a date and time in another form', /^\d{4}[-/]\d\d[-/]\d\d[T ]/],
	['an amount', /^-?\d{1,12}\.\d{1,4}$/],
	['an IP address', /^\d{1,3}(?:\.\d{1,3}){3}$/],
	['host:port', /^[\w.-]{1,253}:\d{1,5}$/],
	['host:port with a login', /^[\w.-]{1,253}:\d{1,5}:|^[^\s@]{1,200}@[\w.-]{1,253}:\d{1,5}$/],
	['host:port with other parts', /^[\w.-]{1,253}:\d{1,5},/],
	['two capitals', /^[A-Z]{2}$/],
	['a word in capitals', /^[A-Z][A-Z_]{2,30}$/],
	['base64', /^[A-Za-z0-9+/]{8,2000}={1,2}$/],
	['Chinese text', /\p{Script=Han}/u],
	['a host name', /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$/i],
];

/** A number of digits tells codes apart (2, 4, 6); what is longer is a number of something. */
function formatOf(text: string): string {
	if (/^\d{1,6}$/.test(text)) return `${text.length} digits`;
	if (/^\d{1,30}$/.test(text)) return 'digits';
	return FORMATS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text';
}

function kindOf(value: unknown, field: string): string {
	if (value === undefined) return 'no JSON';
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'a list';
	if (isRecord(value)) return 'an object';
	if (typeof value !== 'string') return `a ${typeof value}`;
	if (TUNNEL_NAMES.includes(field) && /^127(?:\.\d{1,3}){3}$/.test(value)) return 'a host name';
	const words = Object.hasOwn(CODE_WORDS, field) ? CODE_WORDS[field] : undefined;
	if (words === undefined || value === '') return formatOf(value);
	const known = field === 'product' ? (listedProduct(value) ?? value) : value;
	return words.includes(value) || words.includes(known) ? 'a documented word' : 'another word';
}

/**
 * @param maps the paths of objects whose keys are data, such as names of provinces
 */
export function shapeOf(value: unknown, maps: readonly string[] = []): Shape {
	const shape = new Map<string, Set<string>>();
	const add = (path: string, kind: string) => {
		const kinds = shape.get(path) ?? new Set();
		shape.set(path, kinds.add(kind));
	};
	const addFields = (records: ReadonlyArray<Record<string, unknown>>, path: string) => {
		for (const name of new Set(records.flatMap((record) => Object.keys(record)))) {
			const with_ = records.filter((record) => Object.hasOwn(record, name));
			const fieldPath = path === '' ? name : `${path}.${name}`;
			if (with_.length < records.length) add(fieldPath, 'absent');
			addAll(
				with_.map((record) => record[name]),
				fieldPath,
				name,
			);
		}
	};
	/** Values that stand at one place, in one record or in each of a list. */
	const addAll = (values: readonly unknown[], path: string, field: string) => {
		for (const each of values) add(path, kindOf(each, field));
		const items = values.filter((each) => Array.isArray(each)).flat();
		if (items.length > 0) addAll(items, `${path}[]`, field);
		const records = values.filter(isRecord);
		if (maps.includes(path)) {
			const keys = records.flatMap((record) => Object.keys(record));
			for (const key of keys) add(`${path}{key}`, formatOf(key));
			addAll(
				records.flatMap((record) => Object.values(record)),
				`${path}{}`,
				field,
			);
		} else addFields(records, path);
	};
	addAll([value], '', '');
	return shape;
}

const parentOf = (path: string) => path.replace(/(?:\[\]|\{\}|\{key\}|\.?[^.[\]{}]*)$/, '');

/**
 * What is in one shape and not in the other. Where the sandbox has an empty list, nothing is known of the items,
 * and a field that the sandbox sometimes lacks may be missing.
 */
export function compareShapes(live: Shape, sandbox: Shape): ShapeDifference[] {
	const differences: ShapeDifference[] = [];
	for (const [path, kinds] of live) {
		const known = sandbox.get(path);
		if (known === undefined) {
			const parent = parentOf(path);
			const isFieldOfKnown = !path.endsWith(']') && !path.endsWith('}') && sandbox.has(parent);
			if (isFieldOfKnown && sandbox.get(parent)?.has('an object') === true) {
				differences.push({ path, live: [...kinds], sandbox: [] });
			}
			continue;
		}
		const others = [...kinds].filter((kind) => kind !== 'absent' && !known.has(kind));
		if (others.length > 0) differences.push({ path, live: others, sandbox: [...known] });
	}
	for (const [path, kinds] of sandbox) {
		if (kinds.has('absent') || path.endsWith(']') || path.endsWith('}')) continue;
		const isMissing = !live.has(path) && live.get(parentOf(path))?.has('an object') === true;
		const isMissingInSome = live.get(path)?.has('absent') === true;
		if (isMissing || isMissingInSome) differences.push({ path, live: [], sandbox: [...kinds] });
	}
	return differences;
}
