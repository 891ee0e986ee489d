/** Says of one claim whether it holds. The proof throws when it does not. */
export type Check = (claim: string, prove: () => unknown) => Promise<void>;

/** One line for each check, and the sum at the end. */
export class Report {
	private passed = 0;

	private failed = 0;

	constructor(private readonly say: (line: string) => void) {}

	readonly check: Check = async (claim, prove) => {
		try {
			await prove();
			this.passed += 1;
			this.say(`ok      ${claim}`);
		} catch (error) {
			this.failed += 1;
			this.say(`FAILED  ${claim}: ${error instanceof Error ? error.message : String(error)}`);
		}
	};

	/** @returns whether everything holds */
	finish(): boolean {
		this.say(`${this.passed} passed, ${this.failed} failed`);
		return this.failed === 0 && this.passed > 0;
	}
}
