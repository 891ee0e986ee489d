import type { Endpoint } from '../nodes/shared/service/endpoint.ts';
import { ENDPOINTS } from '../nodes/shared/service/endpoints/index.ts';

const ROWS = Object.values(ENDPOINTS);

/** The rows of one path may differ in kind: with `dedup`, getproxy uses something up. */
const isReadByEveryRow = ({ path }: Endpoint) =>
	ROWS.filter((row) => row.path === path).every(({ kind }) => kind === 'read');

/** Endpoints that change nothing, whatever parameters are sent to them. */
export const READ_ENDPOINTS: readonly Endpoint[] = ROWS.filter(isReadByEveryRow);

/**
 * Endpoints that hand out proxies which count against an order. They are the ones that know the text format and
 * are no plain reads; changing a tunnel's IP is not among them.
 */
export const EXTRACTION_ENDPOINTS: readonly Endpoint[] = ROWS.filter(
	(row) => row.knowsText === true && row.kind !== 'purchase' && !isReadByEveryRow(row),
);

/** Whether the bridge may call a path. Those of purchases and settings are in neither list. */
export function isCallable({ path }: Pick<Endpoint, 'path'>, withExtractions: boolean): boolean {
	const isIn = (rows: readonly Endpoint[]) => rows.some((row) => row.path === path);
	return isIn(READ_ENDPOINTS) || (withExtractions && isIn(EXTRACTION_ENDPOINTS));
}
