/** The library comes without types. */
declare module 'html-to-text' {
	interface Selector {
		readonly selector: string;
		readonly format?: string;
		readonly options?: Readonly<Record<string, unknown>>;
	}

	export function compile(options: {
		readonly wordwrap: false;
		readonly limits: { readonly maxDepth: number; readonly maxInputLength: number };
		readonly selectors: readonly Selector[];
	}): (html: string) => string;
}
