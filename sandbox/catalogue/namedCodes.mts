/** A place as the service lists it. */
export interface NamedCode {
	code: string;
	name: string;
}

/** Reads `31上海市 US美国`: each code stands right before its name. */
export function readNamedCodes(table: string): NamedCode[] {
	return [...table.matchAll(/([A-Z]{2}|\d+)(\S+)/gu)].map(([, code = '', name = '']) => ({
		code,
		name,
	}));
}
