import { OwnCodes, type Refusal } from '../answers/answer.mts';
import type { Range } from './ranges.mts';

const COMMON = ['secret_id', 'sign_type', 'signature', 'timestamp', 'nonce'];

/** What to say of a parameter that is not there or not right. */
export interface ParameterRefusals {
	missing: (name: string) => Refusal;
	wrong: (name: string) => Refusal;
}

/**
 * The parameters of one endpoint, read one by one as they take effect. What nobody asked for has no
 * effect in this call. An empty value is a wrong one unless said otherwise.
 */
export class OwnParameters {
	private readonly left: Map<string, string>;

	constructor(
		parameters: ReadonlyMap<string, string>,
		private readonly refusals: ParameterRefusals,
	) {
		this.left = new Map([...parameters].filter(([name]) => !COMMON.includes(name)));
	}

	text(name: string): string {
		const value = this.optionalText(name);
		if (value === undefined) throw this.refusals.missing(name);
		return value;
	}

	optionalText(name: string): string | undefined {
		const value = this.left.get(name);
		this.left.delete(name);
		return value;
	}

	/** One of these. Without a default it is required. */
	choice<T extends string | number>(name: string, choices: readonly T[], byDefault?: T): T {
		const choice = this.optionalChoice(name, choices) ?? byDefault;
		if (choice === undefined) throw this.refusals.missing(name);
		return choice;
	}

	optionalChoice<T extends string | number>(name: string, choices: readonly T[]): T | undefined {
		const text = this.optionalText(name);
		if (text === undefined) return undefined;
		const choice = choices.find((each) => String(each) === text);
		if (choice === undefined) throw this.refusals.wrong(name);
		return choice;
	}

	/** 1 or 0. */
	flag(name: string, byDefault?: boolean): boolean {
		return this.choice(name, [0, 1], byDefault === undefined ? undefined : Number(byDefault)) === 1;
	}

	/** Without a default it is required. */
	number(name: string, { least, most, step }: Range, byDefault?: number): number {
		const text = this.optionalText(name);
		if (text === undefined) {
			if (byDefault === undefined) throw this.refusals.missing(name);
			return byDefault;
		}
		const value = Number(text);
		if (!/^(0|[1-9]\d{0,8})$/.test(text) || value < least || value > most || value % step !== 0) {
			throw this.refusals.wrong(name);
		}
		return value;
	}

	/** Without a default it is required. */
	matching(name: string, form: RegExp, byDefault?: string): string {
		const text = this.optionalText(name) ?? byDefault;
		if (text === undefined) throw this.refusals.missing(name);
		if (!form.test(text)) throw this.refusals.wrong(name);
		return text;
	}

	nothingElse(): void {
		for (const name of this.left.keys()) throw this.refusals.wrong(name);
	}
}

/** Of querykpscity and querysfpsarea. */
export const AVAILABILITY_CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '参数错误',
	[-3]: '订单类型错误',
});
