import type { FlatParameters } from '../../../../shared/credential/signature';
import type { Conditions } from '../../../../shared/fields/conditions';
import type { Field, ServiceField } from '../../../../shared/fields/field';
import type { FieldReader } from '../../../../shared/fields/readFields';
import type { Endpoint } from '../../../../shared/service/endpoint';
import type { ExtractionAnswer } from '../../../../shared/service/query';
import type { Secrets } from '../../../../shared/errors/cleanText';
import type { LoginWishes } from './login';
import type { ExtractedProxy, ExtraName } from './proxyEntry';

/** Asks for a value that the service appends to each entry. */
export interface ExtraField extends ServiceField {
	/** What the value is called in the output. */
	readonly output: ExtraName;
	/** Whether it is asked for in any case, and not shown in the editor. */
	readonly isAlwaysSent?: true;
}

/** What an item asks for. */
export interface Extraction {
	readonly endpoint: Endpoint;
	/** All parameters but `num`, by the service's names. */
	readonly parameters: FlatParameters;
	/** How many proxies are wanted. */
	readonly total: number;
	/** The most that one call gives. */
	readonly cap: number;
	/** Shortest time between two calls, in milliseconds. */
	readonly intervalMs: number;
	/**
	 * Whether the service counts what it hands out, or never hands it out again. No more may be asked for
	 * than the output will have.
	 */
	readonly isUsedUp: boolean;
	/** Why further calls may bring the same proxies again: a whole sentence. */
	readonly repeatsBecause?: string;
	/** Whether one call gives all that there are; `num` is sent only as one of the parameters then. */
	readonly isWholeList?: true;
	/** Whether all items can use the one address that comes, as with a tunnel. */
	readonly isShared?: true;
	/** Where the login comes from; proxies without one are open to everybody. */
	readonly login?: 'order' | 'entries';
	/** The settings that are sent with the login. */
	readonly wishes?: LoginWishes;
	/** The same with a separate session for each item. */
	readonly wishesWith?: (session: string) => LoginWishes;
	readonly scheme?: 'http' | 'socks5';
	/** Set if proxies that are still alive are handed out again; otherwise everything is extracted. */
	readonly reuse?: { readonly minimumSecondsLeft: number };
	/** False where none of the fields narrows down what comes, or where they are not in 'Filters'. */
	readonly hasFilters?: boolean;
	/** How the user finds out how many are left: a whole sentence. */
	readonly whereCounted?: string;
	/** Where an answer is not a list. */
	readonly parse?: (answer: ExtractionAnswer, secrets: Secrets) => ExtractedProxy[];
}

/** The parts of an extraction that differ between the products. Everything else is shared. */
export interface ExtractProduct {
	/** The service's code for it. */
	readonly value: string;
	/** Above 'Output', in the order of the editor. */
	readonly fields: readonly Field[];
	/** In 'Filters'. */
	readonly filters: readonly Field[];
	/** In 'Extra Fields'; here in the order in which the service appends the values. */
	readonly extras: readonly ExtraField[];
	/** The conditions under which 'Extra Fields' is shown. */
	readonly extrasWhen?: Conditions;
	/** In 'Options'. */
	readonly options: readonly Field[];
	/**
	 * @param reader has read all of these fields
	 * @throws InvalidFieldError
	 */
	readonly toExtraction: (reader: FieldReader) => Extraction;
}
