import type { IExecuteFunctions } from 'n8n-workflow';

const MOST_ITEMS_NAMED = 10;

/** What the user should know about a run, collected over its items and shown with the output. */
export class RunHints {
	private readonly itemsOfHint = new Map<string, number[]>();

	private readonly ofRun: string[] = [];

	/** @param hint a whole sentence */
	add(hint: string, itemIndex: number): void {
		const items = this.itemsOfHint.get(hint) ?? [];
		items.push(itemIndex);
		this.itemsOfHint.set(hint, items);
	}

	private showOne(context: IExecuteFunctions, message: string): void {
		context.addExecutionHints?.({ message, location: 'outputPane' });
	}

	/** A hint about the run as a whole. */
	addForRun(hint: string): void {
		this.ofRun.push(hint);
	}

	/** Versions of n8n without hints show none. */
	show(context: IExecuteFunctions, itemCount: number): void {
		for (const [hint, items] of this.itemsOfHint) {
			const named = items.slice(0, MOST_ITEMS_NAMED).join(', ');
			const more = items.length - MOST_ITEMS_NAMED;
			const which = `Item${items.length === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${more} more` : ''}: `;
			this.showOne(context, itemCount === 1 ? hint : `${which}${hint}`);
		}
		for (const hint of this.ofRun) this.showOne(context, hint);
	}
}
