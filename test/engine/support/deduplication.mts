import type {
	DeduplicationItemTypes,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

import { DataDeduplicationService } from '../../../harness/engine/n8n.mts';

const someTime = async () => await new Promise((resolve) => setImmediate(resolve));

/** As n8n's database does it: a list for each node is read, changed and written back, and nobody has to wait. */
class Records implements IDataDeduplicator {
	private readonly lists = new Map<string, readonly DeduplicationItemTypes[]>();

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		_scope: string,
		context: ICheckProcessedContextData,
		{ maxEntries = Infinity }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const key = keyOf(context);
		const list = this.lists.get(key) ?? [];
		await someTime();
		const isKnown = (item: DeduplicationItemTypes) => list.includes(item);
		const added = items.filter((item) => !isKnown(item));
		this.lists.set(key, [...list, ...added].slice(-maxEntries));
		return { new: added, processed: items.filter(isKnown) };
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		_scope: string,
		context: ICheckProcessedContextData,
	): Promise<void> {
		const key = keyOf(context);
		const list = this.lists.get(key) ?? [];
		await someTime();
		this.lists.set(
			key,
			list.filter((item) => !items.includes(item)),
		);
	}

	async clearAllProcessedItems(): Promise<void> {
		this.lists.clear();
	}

	async getProcessedDataCount(): Promise<number> {
		return this.lists.size;
	}
}

function keyOf({ workflow, node }: ICheckProcessedContextData): string {
	return JSON.stringify([workflow.id, node?.id]);
}

/** n8n's deduplication records, shared by all engines of a test file. To be called once in it. */
export async function keepDeduplicationRecords(): Promise<void> {
	await DataDeduplicationService.init(new Records());
}
