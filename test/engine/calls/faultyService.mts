import type { Fault } from '../../../sandbox/sandbox.mts';
import type { RunResult } from '../support/engine.mts';
import { useTestBed, type Extraction } from '../support/testBed.mts';

export const bed = useTestBed();

export async function withFault(fault: Fault, extraction: Extraction = {}): Promise<RunResult> {
	bed().sandbox.faults.add(fault);
	return await bed().extract({ num: 5, ...extraction });
}

export function expectFailure(result: RunResult, message: RegExp, description = /./): void {
	expect(result.status).toBe('error');
	expect(result.items).toEqual([]);
	expect(result.error?.name).toBe('NodeApiError');
	expect(result.error?.message).toMatch(message);
	expect(result.error?.message).not.toContain('[item');
	expect(result.error?.description).toMatch(description);
}
