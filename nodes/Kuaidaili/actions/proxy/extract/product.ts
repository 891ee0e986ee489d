import type { FlatParameters } from '../../../../shared/credential/signature';
import type { Conditions } from '../../../../shared/fields/conditions';
import type { Field, ServiceField } from '../../../../shared/fields/field';
import type { FieldReader } from '../../../../shared/fields/readFields';
import type { Endpoint } from '../../../../shared/service/endpoint';
import type { ExtraName } from './proxyEntry';

/** Asks for a value that the service appends to each entry. */
export interface ExtraField extends ServiceField {
	/** What the value is called in the output. */
	readonly output: ExtraName;
}

/** What an item asks for. */
export interface Extraction {
	readonly endpoint: Endpoint;
	/** Everything but `num`, by the service's names. */
	readonly parameters: FlatParameters;
	/** How many proxies are wanted. */
	readonly total: number;
	/** The most that one call gives. */
	readonly cap: number;
	/** Shortest time between two calls, in milliseconds. */
	readonly intervalMs: number;
	/**
	 * Whether what was handed out is used up or withheld from then on, so that nothing may be asked for that
	 * is not put out.
	 */
	readonly isUsedUp: boolean;
	/** Why further calls may bring the same proxies again: a whole sentence. */
	readonly repeatsBecause?: string;
}

/** What is a product's own when its proxies are extracted. Everything else is shared. */
export interface ExtractProduct {
	/** Above 'Output', in the order of the editor. */
	readonly fields: readonly Field[];
	/** In 'Filters'. */
	readonly filters: readonly Field[];
	/** In 'Extra Fields'; here in the order in which the service appends the values. */
	readonly extras: readonly ExtraField[];
	/** What other fields must say for 'Extra Fields' to be there. */
	readonly extrasWhen?: Conditions;
	/** In 'Options'. */
	readonly options: readonly Field[];
	/**
	 * @param reader has read all of these fields
	 * @throws InvalidFieldError
	 */
	readonly toExtraction: (reader: FieldReader) => Extraction;
}
