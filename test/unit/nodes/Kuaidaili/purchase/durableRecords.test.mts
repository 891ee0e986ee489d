import type { IExecuteFunctions } from 'n8n-workflow';

import {
	DurableRecords,
	type SendingNames,
} from '../../../../../nodes/Kuaidaili/purchase/durableRecords.ts';
import { sleep } from '../../../../engine/support/sleep.mts';

/** n8n's records of a node, of which each process reads the list, and writes it back a while later. */
function recordsOfNode() {
	let list: readonly string[] = [];
	const change = async (ms: number, changed: (list: readonly string[]) => readonly string[]) => {
		const before = list;
		await sleep(ms);
		list = changed(before);
		return before;
	};
	const helpers = {
		async checkProcessedAndRecord(items: string[]) {
			const before = await change(5, (now) => [...new Set([...now, ...items])]);
			const [fresh, processed] = [false, true].map((is) =>
				items.filter((text) => before.includes(text) === is),
			);
			return { new: fresh, processed };
		},
		async removeProcessed(items: string[]) {
			await change(5, (now) => now.filter((text) => !items.includes(text)));
		},
	};
	const context = { helpers, getNode: () => ({ id: 'n' }), getWorkflow: () => ({ id: 'w' }) };
	return {
		process: () => new DurableRecords(context as unknown as IExecuteFunctions),
		/** Another process asks something, and writes back the list as it was. */
		async askElsewhere() {
			await change(20, (asked) => asked);
		},
		get list() {
			return list;
		},
	};
}

const NAMES: SendingNames = {
	...{ id: 'purchase', before: 'state', end: undefined, item: 'item', goods: 'goods' },
	...{ slot: 1, signed: undefined, isByHand: false },
};

it('What is about to be sent stays recorded, whatever another process asks meanwhile', async () => {
	const node = recordsOfNode();
	const question = node.askElsewhere();
	const records = node.process();
	const first = await records.noteSending(NAMES);
	await question;
	expect(first.isSent).toBe(false);
	expect(node.list).toContain('purchase:purchase sent');
	await records.settled();
});
