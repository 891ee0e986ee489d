import type { IExecuteFunctions } from 'n8n-workflow';

import {
	executionEndOf,
	retriedExecutionOf,
	rootModeOf,
} from '../../../../../nodes/Kuaidaili/run/n8nInternals.ts';

/** A context of n8n with this beside its public interface. */
function contextWith(internals: object): IExecuteFunctions {
	return internals as IExecuteFunctions;
}

const END = Date.parse('2026-01-02T03:04:05Z');

const READERS = {
	rootModeOf: {
		read: rootModeOf,
		known: { additionalData: { rootExecutionMode: 'manual' } },
		value: 'manual',
		strange: [{ rootExecutionMode: 1 }],
	},
	retriedExecutionOf: {
		read: retriedExecutionOf,
		known: { additionalData: { hooks: { retryOf: '17' } } },
		value: '17',
		strange: [{ hooks: {} }, { hooks: null }, { hooks: { retryOf: 17 } }],
	},
	executionEndOf: {
		read: executionEndOf,
		known: { additionalData: { executionTimeoutTimestamp: END } },
		value: END,
		strange: [{ executionTimeoutTimestamp: '1' }, { executionTimeoutTimestamp: NaN }],
	},
};

describe.each(Object.entries(READERS))('%s', (_name, { read, known, value, strange }) => {
	it('reads what n8n has', () => {
		expect(read(contextWith(known))).toBe(value);
	});

	it.each([
		{},
		{ additionalData: undefined },
		{ additionalData: {} },
		...strange.map((additionalData) => ({ additionalData })),
	])('goes without where n8n has %j', (internals) => {
		expect(read(contextWith(internals))).toBeUndefined();
	});
});
