import type { Format } from './layout.mts';

/** What an endpoint says, before it is written as JSON, text or XML. */
export interface Answer {
	code: number;
	msg: string;
	data: unknown;
	/** The addresses of a successful extraction; only such an answer has a text and an XML form. */
	entries?: readonly string[];
	/** Set where the answer does not come in the format that was asked for. */
	fixedFormat?: Format;
}

export function success(data: unknown, msg = ''): Answer {
	return { code: 0, msg, data };
}

/** What else there is to say has no place in text and XML. */
export function extracted(
	entries: readonly string[],
	further: Readonly<Record<string, number>> = {},
): Answer {
	return { ...success({ count: entries.length, proxy_list: entries, ...further }), entries };
}

/** Thrown wherever a call turns out not to be acceptable; becomes a failure answer. */
export class Refusal extends Error {
	constructor(
		readonly code: number,
		readonly msg: string,
		readonly fixedFormat?: Format,
	) {
		super(`${code}: ${msg}`);
	}

	toAnswer(): Answer {
		return { code: this.code, msg: this.msg, data: '', fixedFormat: this.fixedFormat };
	}
}

/** A refusal that a client which keeps the pace never sees. */
export class TooFast extends Refusal {}
