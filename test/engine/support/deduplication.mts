import { createRequire } from 'node:module';

import type { DeduplicationScope, ICheckProcessedContextData } from 'n8n-workflow';

import { sleep } from './sleep.mts';

/*
 * n8n's deduplication records, which its server keeps in its database for all its workers. The engine alone has
 * none, so whatever asks for them fails there.
 */
const require = createRequire(import.meta.url);
const { DataDeduplicationService }: typeof import('n8n-core') = require('n8n-core');

interface Options {
	maxEntries?: number;
}

/** By workflow and node, oldest first. */
const lists = new Map<string, string[]>();

function keyOf(scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData): string {
	return JSON.stringify([workflow.id, scope === 'node' ? node?.id : '']);
}

/** What may go wrong with them. What is lost is what a question of another worker undoes. */
export const n8nRecords = {
	/** Each access to a database takes a while. */
	queryMs: 5,
	isOut: false,
	isLost: (_text: string): boolean => false,
	/** Called before and after each change, such as to let a worker die there. */
	atChange: async (_when: 'before' | 'after'): Promise<void> => await Promise.resolve(),
};

function query(): void {
	if (n8nRecords.isOut) throw new Error('The database does not answer');
}

/** Everything that was recorded. */
export function recordedTexts(): string[] {
	return [...lists.values()].flat();
}

/** For the tests of a file: to be called once. */
export async function useDeduplicationRecords(): Promise<void> {
	endDeduplicationRecords();
	await DataDeduplicationService.init({
		// As on the server, without a lock between the question and the answer
		async checkProcessedAndRecord(items, scope, context, { maxEntries = Infinity }: Options) {
			const key = keyOf(scope, context);
			await n8nRecords.atChange('before');
			await sleep(n8nRecords.queryMs);
			query();
			const known = (lists.get(key) ?? []).filter((text) => !n8nRecords.isLost(text));
			await sleep(n8nRecords.queryMs);
			const texts = items.map(String);
			const fresh = texts.filter((text) => !known.includes(text));
			lists.set(key, [...known, ...fresh].slice(-maxEntries));
			await n8nRecords.atChange('after');
			return { new: fresh, processed: texts.filter((text) => !fresh.includes(text)) };
		},
		async removeProcessed(items, scope, context) {
			const key = keyOf(scope, context);
			await n8nRecords.atChange('before');
			await sleep(n8nRecords.queryMs);
			query();
			const texts = items.map(String);
			lists.set(
				key,
				(lists.get(key) ?? []).filter((text) => !texts.includes(text)),
			);
			await n8nRecords.atChange('after');
		},
		async clearAllProcessedItems(scope, context) {
			lists.delete(keyOf(scope, context));
			await Promise.resolve();
		},
		async getProcessedDataCount(scope, context) {
			return await Promise.resolve(lists.get(keyOf(scope, context))?.length ?? 0);
		},
	});
}

/** Where several files of tests share one n8n: the next one may want none. */
export function endDeduplicationRecords(): void {
	Reflect.set(DataDeduplicationService, 'instance', undefined);
	lists.clear();
}
