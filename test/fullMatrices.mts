/**
 * Where one function decides, `npm test` tries a choice of cases that covers each side of a table once, and
 * `npm run fuzz` tries all of them.
 */
export const triesAll = process.env.FULL_MATRICES === 'yes';

/**
 * Each `share`-th of a row, beginning at another place in each row, so that as many rows together have all of it.
 *
 * @param row the number of the row
 */
export function shareOf<T>(all: readonly T[], share: number, row: number): T[] {
	return all.filter((_one, place) => triesAll || place % share === row % share);
}
