import { REPORT } from './cures';
import type { CodeMeaning, CodeTable } from './meaning';

export const GET_ORDER_EXPIRE_TIME_CODES: CodeTable = new Map<number, CodeMeaning>([
	[-1, { message: 'The service misses a parameter', cure: REPORT }],
]);
