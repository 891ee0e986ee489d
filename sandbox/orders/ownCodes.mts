import { Refusal } from '../answers/answer.mts';

/** The codes that one endpoint can give beside the common ones. */
export class OwnCodes<Code extends number> {
	private readonly messages: ReadonlyMap<number, string>;

	constructor(messages: Readonly<Record<Code, string>>) {
		this.messages = new Map(
			Object.entries(messages).map(([code, message]) => [Number(code), String(message)]),
		);
	}

	message(code: number): string | undefined {
		return this.messages.get(code);
	}

	/** The detail, the name of a parameter for one, helps whoever reads it in a test or a log. */
	refusal(code: Code, detail?: string): Refusal {
		const message = this.messages.get(code) ?? '';
		return new Refusal(code, detail === undefined ? message : `${message}: ${detail}`);
	}
}
