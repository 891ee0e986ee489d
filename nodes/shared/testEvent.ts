import type { IDataObject } from 'n8n-workflow';

import { ownValue } from './guards';

const TEST = 'test';

/** Marks what the trigger shows when it is tested, so that a workflow can tell it from a real event. */
export function asTestEvent(record: IDataObject): IDataObject {
	return { ...record, [TEST]: true };
}

/** Whether an item comes straight from a test of the trigger. */
export function isTestEvent(json: unknown): boolean {
	return ownValue(json, TEST) === true && typeof ownValue(json, 'event') === 'string';
}
