import type { IExecuteFunctions } from 'n8n-workflow';

import { DescribedError } from '../../shared/transport/callErrors';
import { durationInWords } from '../../shared/transport/describeFailure';
import { refuseBeyondLimit } from './purchaseLimits';
import { isTool } from '../nodeRun';
import { PurchaseMemory, type RememberedPurchase } from './purchaseMemory';
import { recentPurchases } from './recentPurchases';

/** A purchase that is about to be sent. */
export interface Departure {
	readonly itemIndex: number;
	/** How many purchases the execution may make at most. */
	readonly maxOrders: number;
	/**
	 * Whether the state decides if anything is bought, so that two items with the same purchase want it
	 * made once.
	 */
	readonly isConditional: boolean;
	/** What to remember while it is on its way. */
	readonly sent: Extract<RememberedPurchase, { state: 'sent' }>;
}

/** One call of a node by n8n, with all its items: what it remembers, and what it may still buy. */
export class PurchaseRun {
	readonly memory: PurchaseMemory;
	readonly isTool: boolean;
	/** Tells nodes apart, in all workflows of this process. */
	readonly nodeKey: string;
	private readonly executionId: string;
	private readonly isManual: boolean;
	private readonly begunAt = recentPurchases.now();

	constructor(context: IExecuteFunctions) {
		const { id, name } = context.getNode();
		this.memory = new PurchaseMemory(context);
		this.isTool = isTool(context);
		this.nodeKey = JSON.stringify([context.getWorkflow().id, id ?? name]);
		this.executionId = context.getExecutionId();
		this.isManual = context.getMode() === 'manual';
	}

	/**
	 * Notes that a purchase is about to be sent. Nothing in here may wait: calls of a tool run side by side,
	 * and each has to see what the others are about to buy.
	 *
	 * @throws DescribedError for a purchase that must not be sent
	 */
	begin({ itemIndex, maxOrders, isConditional, sent }: Departure): void {
		const { fingerprint } = sent;
		const unclear =
			this.memory.unclearInOtherRun(fingerprint) ??
			(isConditional ? this.memory.unclearOfOtherItem(fingerprint, itemIndex) : undefined);
		if (unclear !== undefined) throw new DescribedError(unclear);
		refuseBeyondLimit(this.memory, itemIndex, maxOrders);
		this.refuseDoubleClick(fingerprint);
		this.memory.set(itemIndex, sent);
		this.noteRecent(fingerprint, sent.label);
	}

	/** Records a purchase that was made, or may have been. */
	end(itemIndex: number, purchase: RememberedPurchase): void {
		this.memory.set(itemIndex, purchase);
		this.noteRecent(purchase.fingerprint, purchase.label);
	}

	/** Forgets a purchase that was not made. */
	undo(itemIndex: number, fingerprint: string): void {
		this.memory.forget(itemIndex);
		recentPurchases.delete(this.recentKey(fingerprint), this.executionId);
	}

	private recentKey(fingerprint: string): string {
		return `${this.nodeKey} ${fingerprint}`;
	}

	private noteRecent(fingerprint: string, label: string): void {
		if (this.isManual) recentPurchases.set(this.recentKey(fingerprint), this.executionId, label);
	}

	private refuseDoubleClick(fingerprint: string): void {
		if (!this.isManual) return;
		const recent = recentPurchases.find(
			this.recentKey(fingerprint),
			this.executionId,
			this.begunAt,
		);
		if (recent === undefined) return;
		throw new DescribedError({
			message: `This node bought the same ${durationInWords(recent.msAgo)} ago: ${recent.label}`,
			description:
				"A second click on 'Execute step' within 10 seconds is taken for a double click. Nothing was bought this time. To buy another one, wait a few seconds and run it again.",
		});
	}
}
