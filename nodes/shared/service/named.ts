/** A value of the service with its name in the editor, as a choice there takes it. */
export interface Named<T extends number | string> {
	readonly value: T;
	readonly name: string;
	/** What the name means, if it isn't obvious. */
	readonly description?: string;
}
