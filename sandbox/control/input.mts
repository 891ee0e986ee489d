/** What came in over the control port cannot be used; the message says why. */
export class MalformedInput extends Error {}

/** Reads a JSON object field by field and finds the fields nobody asked for. */
export class Fields {
	private readonly left: Map<string, unknown>;

	constructor(value: object) {
		this.left = new Map(Object.entries(value));
	}

	text(name: string): string {
		return this.required(name, this.optionalText(name));
	}

	number(name: string): number {
		return this.required(name, this.optionalNumber(name));
	}

	optionalText(name: string): string | undefined {
		const value = this.take(name);
		if (value === undefined || typeof value === 'string') return value;
		throw new MalformedInput(`"${name}" must be a text`);
	}

	optionalNumber(name: string): number | undefined {
		const value = this.take(name);
		if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
		throw new MalformedInput(`"${name}" must be a number`);
	}

	optionalDate(name: string): Date | undefined {
		const text = this.optionalText(name);
		if (text === undefined) return undefined;
		const date = new Date(text);
		if (Number.isNaN(date.getTime())) throw new MalformedInput(`"${name}" must be a date`);
		return date;
	}

	optionalChoice<T extends string | number>(name: string, choices: readonly T[]): T | undefined {
		const value = this.take(name);
		if (value === undefined) return undefined;
		const choice = choices.find((each) => each === value);
		if (choice === undefined) {
			throw new MalformedInput(`"${name}" must be one of: ${choices.join(', ')}`);
		}
		return choice;
	}

	choice<T extends string | number>(name: string, choices: readonly T[]): T {
		return this.required(name, this.optionalChoice(name, choices));
	}

	/** A misspelt field would silently do nothing. */
	nothingElse(): void {
		if (this.left.size === 0) return;
		throw new MalformedInput(`Not known here: ${[...this.left.keys()].join(', ')}`);
	}

	private take(name: string): unknown {
		const value = this.left.get(name);
		this.left.delete(name);
		return value;
	}

	private required<T>(name: string, value: T | undefined): T {
		if (value === undefined) throw new MalformedInput(`"${name}" is missing`);
		return value;
	}
}

export function toFields(value: unknown): Fields {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new MalformedInput('A JSON object is needed');
	}
	return new Fields(value);
}
