import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { KeyedMutex } from '../../shared/api/wait';

/** n8n compares each text with the whole list, and each one that is only asked for pushes an old one out. */
const AT_ONCE = 100;

/** A mutex for each node: n8n reads the list, changes it, and writes it back, so two changes at once would lose one. */
const mutex = new KeyedMutex();

/**
 * n8n's deduplication records of a node, which lie in its database and are shared by all workers. They answer only
 * whether a text was recorded.
 */
export class NodeRecords {
	private readonly node: string;
	private readonly limit: ICheckProcessedOptions;

	/**
	 * @param prefix keeps what is recorded apart from what else the node records
	 * @param most so many are kept; the oldest go first
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly prefix: string,
		most: number,
	) {
		this.limit = { mode: 'entries', maxEntries: most };
		const { id, name } = context.getNode();
		this.node = JSON.stringify([context.getWorkflow().id, id ?? name]);
	}

	/** @returns those that were there before; undefined where n8n has none, as for a workflow that isn't saved */
	async record(texts: readonly string[]): Promise<ReadonlySet<string> | undefined> {
		return await this.query(texts, true);
	}

	/** Asks for texts without recording them. */
	async known(texts: readonly string[]): Promise<ReadonlySet<string> | undefined> {
		return await this.query(texts, false);
	}

	/** Drops texts as if they had never been recorded. Where n8n can't, they stay. Never rejects. */
	async forget(texts: readonly string[]): Promise<void> {
		const items = texts.map((text) => `${this.prefix}${text}`);
		const leave = await mutex.lock(this.node, undefined);
		try {
			await this.context.helpers.removeProcessed(items, 'node', this.limit);
		} catch {
			// Whoever finds them looks before it buys
		} finally {
			leave();
		}
	}

	private async query(
		texts: readonly string[],
		isRecorded: boolean,
	): Promise<ReadonlySet<string> | undefined> {
		const { helpers } = this.context;
		const leave = await mutex.lock(this.node, undefined);
		try {
			const known = new Set<string>();
			for (let start = 0; start < texts.length; start += AT_ONCE) {
				const some = texts.slice(start, start + AT_ONCE);
				const items = some.map((text) => `${this.prefix}${text}`);
				const add = async () => await helpers.checkProcessedAndRecord(items, 'node', this.limit);
				// Another worker may have made the list a moment ago
				const { new: added, processed } = await add().catch(add);
				for (const item of processed) known.add(String(item).slice(this.prefix.length));
				// n8n can't be asked without recording the question
				if (!isRecorded) await helpers.removeProcessed(added, 'node', this.limit);
			}
			return known;
		} catch {
			return undefined;
		} finally {
			leave();
		}
	}
}
