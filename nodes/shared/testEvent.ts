import type { IDataObject } from 'n8n-workflow';

import { ownValue } from './guards';

const TEST = 'test';

/** Marks what the trigger shows when it is tested, for workflows and for whoever reads its text. */
export function asTestEvent({ text, ...record }: IDataObject): IDataObject {
	return { text: `Test event: ${String(text)}`, ...record, [TEST]: true };
}

/** Whether an item comes straight from a test of the trigger. */
export function isTestEvent(json: unknown): boolean {
	return ownValue(json, TEST) === true && typeof ownValue(json, 'event') === 'string';
}
