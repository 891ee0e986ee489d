/** How many nodes are remembered. */
const LARGEST_SIZE = 500;

/** What cancelled runs have bought, until the next run of the same node tells it. */
class CancelledRuns {
	private readonly texts = new Map<string, string>();

	/** @param purchases in whole sentences */
	note(nodeKey: string, purchases: string): void {
		const earlier = this.texts.get(nodeKey);
		this.texts.delete(nodeKey);
		this.texts.set(nodeKey, [earlier, purchases].filter(Boolean).join(' '));
		for (const oldest of this.texts.keys()) {
			if (this.texts.size <= LARGEST_SIZE) break;
			this.texts.delete(oldest);
		}
	}

	/** @returns what was noted, for the one run that tells it */
	take(nodeKey: string): string | undefined {
		const purchases = this.texts.get(nodeKey);
		this.texts.delete(nodeKey);
		return purchases;
	}
}

/** @returns a hint */
export function hintOfCancelledRun(purchases: string | undefined): string | undefined {
	return purchases && `An earlier run of this node was cancelled. ${purchases}`;
}

export const cancelledRuns = new CancelledRuns();
