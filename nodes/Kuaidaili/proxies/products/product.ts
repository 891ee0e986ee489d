import type { ExtractionAnswer, FlatParameters } from '../../../shared/service/wireTypes';
import {
	type Conditions,
	type FieldTexts,
	serviceField,
	type Field,
	type ServiceField,
	InvalidFieldError,
	type ValueKind,
} from '../../../shared/fields/field';
import { readRequiredField, type FieldReader } from '../../../shared/fields/reader';
import {
	choice,
	toggle,
	number,
	type ChoiceOption,
	type ChoiceSettings,
} from '../../../shared/fields/kinds';
import type { Endpoint } from '../../../shared/service/endpoint';
import type { ProductCode } from '../../../shared/service/products';
import type { ExtractedProxy, ExtraName } from '../entries';
import type { ProxyStatuses } from '../proxyStatuses';
import type { ProxyLogin } from '../logins';

/** Proxies that an item asks for, as far as the product decides it. */
export interface Extraction {
	readonly endpoint: Endpoint;
	/** All parameters but `num`, by the service's names. */
	readonly parameters: FlatParameters;
	/** The number of proxies that are wanted; Infinity for all. */
	readonly total: number;
	/** The most that one call gives; no limit if not given. */
	readonly cap?: number;
	/** Shortest time between two calls where the order's plan decides; else the endpoint's own. */
	readonly intervalMs?: number;
	/** The reason why further calls may bring the same proxies again: a whole sentence. */
	readonly repeatsBecause?: string;
	/** Whether one call gives all that there are; `num` is sent only as one of the parameters then. */
	readonly isWholeList?: true;
	/** The source of the login; proxies without one are open to everybody. */
	readonly login?: 'order' | 'entries';
	/** Adds settings of a tunnel. Each item gives another session, which counts only where each is to have its own. */
	readonly toLogin?: (plain: ProxyLogin, session: string | undefined) => ProxyLogin;
	/**
	 * Marks a tunnel, whose one address serves all items. Gives the longest time in seconds for which a session keeps its
	 * IP; undefined where nobody says it, or where each request has an IP of its own.
	 *
	 * @param secondsPerIp of the order, 0 for a new IP with each request; undefined where the service doesn't say it
	 */
	readonly sessionSeconds?: (secondsPerIp: number | undefined) => number | undefined;
	/**
	 * Longest time in seconds for which an order may keep an IP so that sessions have a documented effect; no limit if not
	 * given.
	 */
	readonly longestSessionSeconds?: number;
	/** The lifetime of each proxy, if its entry doesn't say it. */
	readonly lifeSeconds?: number;
	/** Set if proxies that are still alive are handed out again; otherwise everything is extracted. */
	readonly reuse?: { readonly minimumSecondsLeft: number };
	/** Set for filters that the service ignores unless the order is paid per IP; what comes counts nevertheless. */
	readonly needsPayPerIp?: boolean;
	/** A whole sentence about finding out how many are left. */
	readonly whereCounted?: string;
	/** Reads an answer that is not a list. */
	readonly parse?: (answer: ExtractionAnswer) => ExtractedProxy[];
}

/**
 * A product whose proxies can be extracted: the parts that differ between the products. Everything else is shared.
 *
 *     export const stableProxy: ProxyProduct = {
 *         code: 'XPS', statuses: DOMESTIC_STATUSES, fields: [num], options: formatFields(),
 *         toExtraction: (reader) => ({ endpoint: GET_XPS, parameters: reader.parameters, total: takeTotal(num, reader) }),
 *     };
 *
 * With that in `PROXY_PRODUCTS`, typecheck names each table that lacks the new product.
 */
export interface ProxyProduct {
	readonly code: ProductCode;
	/** The answers of its proxies in place of pages. */
	readonly statuses: ProxyStatuses;
	/** Fields of the first screen, in the order of the editor: nothing but what says which proxies, and how many. */
	readonly fields: readonly Field[];
	readonly filters?: readonly Field[];
	/** Switches for extra values. 'Extra Fields' is shown where there are some. */
	readonly extras?: readonly ServiceField[];
	/** All other fields, which stand in 'Options'. */
	readonly options: readonly Field[];
	/** Makes the extraction from the texts of all these fields. Throws InvalidFieldError. */
	readonly toExtraction: (reader: FieldReader) => Extraction;
}

/* The fields that several products have. */

export function parameter(
	serviceName: string,
	displayName: string,
	description: string,
	kind: ValueKind,
	others: Pick<Field, 'when' | 'placeholder' | 'required'> = {},
): ServiceField {
	return serviceField({ serviceName, displayName, description, kind, ...others });
}

/** A filter that only lets through what it names, and its opposite. */
export function filterPair(
	serviceName: string,
	displayName: string,
	what: string,
	kind: ValueKind,
	others: { readonly placeholders: readonly [string, string]; readonly required?: boolean },
): ServiceField[] {
	const { placeholders, required } = others;
	const [only, not] = placeholders.map((placeholder) => ({ placeholder, required }));
	return [
		parameter(serviceName, displayName, `Only ${what}`, kind, only),
		parameter(`${serviceName}_ex`, `${displayName} to Exclude`, `No ${what}`, kind, not),
	];
}

/** The values that the service appends to each entry, in this order. */
const EXTRAS: ReadonlyArray<
	readonly [output: ExtraName, serviceName: string, displayName: string, what: string, how?: string]
> = [
	['region', 'f_loc', 'Region', "the proxy's region"],
	['cityCode', 'f_citycode', 'City Code', "the code of the proxy's city"],
	['secondsLeft', 'f_et', 'Seconds Left', 'how many seconds the proxy keeps working'],
	['carrier', 'f_carrier', 'Carrier', "the proxy's carrier"],
	['anonymity', 'f_an', 'Anonymity', "the proxy's anonymity"],
	['protocol', 'f_pr', 'Protocol', 'the protocols that the proxy supports'],
	[
		'responseTime',
		'f_sp',
		'Response Time',
		"the proxy's response time",
		', exactly as Kuaidaili sends it',
	],
];

/** Switches that ask for extra values. */
export function extrasOf(outputs: readonly ExtraName[], when?: Conditions): ServiceField[] {
	return EXTRAS.filter(([output]) => outputs.includes(output)).map(
		([output, serviceName, displayName, what, how = '']) => {
			const description = `Whether to add ${what} as '${output}'${how}`;
			return parameter(
				serviceName,
				displayName,
				description,
				toggle({ preset: true, sendsOff: false }),
				{ when },
			);
		},
	);
}

/** The extra values that each entry will have, in their order. */
export function extrasIn(parameters: FlatParameters): ExtraName[] {
	const extras: ExtraName[] = [];
	for (const [output, name] of EXTRAS) if (name in parameters) extras.push(output);
	return extras;
}

/** @param structured where JSON and XML are offered besides text; everywhere without */
export function formatFields(structured?: Conditions): ServiceField[] {
	return [
		parameter(
			'format',
			'Format',
			"The format in which Kuaidaili sends the proxies. It doesn't change the output of this node.",
			choice(
				[
					{ name: 'JSON', value: 'json', when: structured },
					{ name: 'Text', value: 'text' },
					{ name: 'XML', value: 'xml', when: structured },
				],
				{ neutral: 'text', preset: 'text' },
			),
		),
		parameter(
			'sep',
			'Separator',
			"What separates the proxies in the Text format. It doesn't change the output of this node.",
			choice([
				{ name: 'Line End (CR LF)', value: 1 },
				{ name: 'Line End (LF)', value: 2 },
				{ name: 'Space', value: 3 },
				{ name: 'Vertical Bar', value: 4 },
			]),
			{ when: { format: ['text'] } },
		),
	];
}

export const maxExtractionsField: Field = {
	name: 'maxExtractionsPerRun',
	displayName: 'Max Extractions per Execution',
	description:
		'How many proxies this node may extract in one execution, loops and retries included. Other nodes count on their own. 0 for no limit.',
	kind: number({ min: 0, max: 1_000_000, preset: 1000 }),
	// An expression without a value must not leave it out
	required: true,
};

export const reuseField: Field = {
	name: 'reuse',
	displayName: 'Reuse Proxies',
	description:
		'Whether to use proxies of the same order and filters again as long as they work, and extract only what is missing',
	kind: { ...toggle({ preset: true }), neutral: '0' },
	// An expression without a value must not use up what is there already
	required: true,
};

export const minimumSecondsLeftField: Field = {
	name: 'minimumSecondsLeft',
	displayName: 'Minimum Seconds Left',
	description: 'A proxy is reused only if it works for at least this many more seconds',
	required: true,
	kind: number({ min: 0, max: 86_400, preset: 30 }),
};

/** The field of every product that says how many proxies are wanted. */
export const NUM = 'num';

/** The field of Extract that says what comes out: with one proxy for each input item, the items decide how many. */
export const OUTPUT = 'output';

export const NUM_IS_ASKED: Conditions = { [OUTPUT]: ['eachProxy', 'allInOne'] };

/** The field for the number of proxies, shown if it has to be said. */
export function numField(
	description: string,
	[most, preset]: readonly [number, number],
	when?: Conditions,
): ServiceField {
	const kind = number({ min: 1, max: most, preset: preset });
	const others = { required: true, when: { ...NUM_IS_ASKED, ...when } };
	return parameter(NUM, 'Number of Proxies', description, kind, others);
}

/** Proxies of which an order has only so many. */
export function countedProxies(endpoint: Endpoint, reader: FieldReader, field: Field): Extraction {
	const minimumSecondsLeft = Number(reader.textOf(minimumSecondsLeftField.name));
	const total = takeTotal(field, reader);
	return {
		endpoint,
		parameters: { format: 'json', ...reader.parameters },
		total,
		// Not documented; the vendor advises to ask for few at a time
		cap: 100,
		login: 'order',
		reuse: reader.textOf(reuseField.name) === '1' ? { minimumSecondsLeft } : undefined,
	};
}

export const ptField = parameter(
	'pt',
	'Protocol',
	'The protocol for connecting to the proxy. HTTP works for https pages, too.',
	choice(
		[
			{ name: 'HTTP', value: 1 },
			{ name: 'SOCKS5', value: 2 },
		],
		{ neutral: '1' },
	),
);

export const sessionPerItemField: Field = {
	name: 'sessionPerItem',
	displayName: 'Session per Item',
	description: 'Whether each input item gets its own session, and with it its own IP',
	kind: { ...toggle({ preset: true }), neutral: '0' },
};

/** The texts of options that were not added, for those that mean anything then. */
export const OPTION_PRESETS: FieldTexts = new Map([
	[reuseField.name, '0'],
	[minimumSecondsLeftField.name, '30'],
	[sessionPerItemField.name, '0'],
]);

/** One session for all items, or one for each. */
export function sessionFields(description: string, kind: ValueKind): Field[] {
	const placeholder = 'e.g. s01';
	const when = { [sessionPerItemField.name]: [false] };
	const ofAll = { name: 'session', displayName: 'Session', description, placeholder, kind, when };
	return [sessionPerItemField, ofAll];
}

/** @param ofItem counts where each item has its own */
export function sessionIn(reader: FieldReader, ofItem?: string): string | undefined {
	return reader.textOf(sessionPerItemField.name) === '1' ? ofItem : reader.textOf('session');
}

export const EVERY_REQUEST: ChoiceOption = { name: 'Every Request', value: 0 };

export const SESSION_MINUTES = 'sessionMinutes';
const IP_CHANGE_INTERVAL = 'IP Change Interval';

/** @param who needs the same IP for several requests, because of a field */
export function refusedEveryRequest(who: string, field: string): InvalidFieldError {
	const advice = `${who} need the same IP. Choose how long it stays, or clear '${field}'.`;
	return new InvalidFieldError(IP_CHANGE_INTERVAL, EVERY_REQUEST.name, advice);
}

/** @param others below a minute */
export function sessionMinutesField(
	others: readonly ChoiceOption[],
	settings: ChoiceSettings = {},
): Field {
	const minutes = Array.from({ length: 30 }, (_, index) => ({
		name: `${index + 1} Minute${index === 0 ? '' : 's'}`,
		value: index + 1,
	}));
	return {
		name: SESSION_MINUTES,
		displayName: IP_CHANGE_INTERVAL,
		description: 'How long a session keeps an IP before it switches to another one',
		kind: choice([...others, ...minutes], settings),
	};
}

/**
 * Takes the number of wanted proxies out of the parameters; each call says how many of them are missing.
 *
 * @throws InvalidFieldError
 */
export function takeTotal(field: Field, reader: FieldReader): number {
	const num = reader.textOf(NUM);
	delete reader.parameters[NUM];
	if (!(Number(num) >= 1)) readRequiredField(field, num);
	return Number(num);
}

/** The one address of a tunnel, behind which the IP changes; nothing is used up. */
export function tunnelAddress(
	endpoint: Endpoint,
	reader: FieldReader,
	parameters: FlatParameters = {},
): Extraction {
	const minutes = Number(reader.textOf(SESSION_MINUTES) ?? 0);
	return {
		endpoint,
		parameters: { format: 'json', ...reader.parameters, ...parameters },
		total: 1,
		isWholeList: true,
		login: 'order',
		// Where the login says for how long, the order's own interval doesn't count
		sessionSeconds: () => (minutes > 0 ? minutes * 60 : undefined),
	};
}
