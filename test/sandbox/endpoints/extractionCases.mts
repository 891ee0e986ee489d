import type { OrderStatus } from '../../../sandbox/sandbox.mts';
import type { KeyName } from '../extracting.mts';

export const SEPARATORS = [
	['1', '\r\n'],
	['2', '\n'],
	['3', ' '],
	['4', '|'],
] as const;

export const EVERY_KEY: readonly KeyName[] = [
	...(['opsVip', 'dps', 'dpsEven', 'dpsPerIp', 'dpsProfessional', 'kps', 'kpsSeveral'] as const),
	...(['kpsDynamic', 'kpsExclusive', 'tps', 'tpsPayAsUsed', 'tpsMinute', 'tpsHour'] as const),
	...(['tpsChannels', 'tpsPro', 'fps', 'fpsMonthly', 'sfps', 'sfpsPackage', 'topUp'] as const),
];

export const STATES: ReadonlyArray<[status: OrderStatus, code: number]> = [
	['WAIT_PAY', -11],
	['OPENING', -12],
	['OWING', -12],
	['CLOSED', -12],
	['EXPIRED', -13],
	['FORBIDDEN', -14],
	['REFUNDED', -16],
];

export const WRONG = [
	['format', 'csv'],
	['format', ''],
	['sep', '5'],
	['sep', ''],
	['x', '1'],
] as const;
