import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ENDPOINTS } from '../../../sandbox/endpoints/table.mts';

/* That the refusals of each endpoint are tried, told by the text of their table: what it does takes minutes. */

const folder = join(dirname(fileURLToPath(import.meta.url)), '..');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.mts') && !basename(file).startsWith('everyEndpoint'))
	.map((file) => ({ name: basename(file), text: readFileSync(join(folder, file), 'utf8') }));

/** The endpoints that none of the files names which are chosen by their own name. */
function unnamedIn(isChosen: (file: string) => boolean, paths: readonly string[]): string[] {
	const chosen = files.filter(({ name }) => isChosen(name));
	expect(chosen.length).toBeGreaterThan(0);
	const isNamed = (path: string) =>
		chosen.some(({ text }) => new RegExp(`\\b${basename(path)}\\b`).test(text));
	return paths.filter((path) => !isNamed(path));
}

/** Its refusal goes by what an answer before it named. */
const WITHOUT_ROW = ['/api/getkpsbyid'];

it('the refusals of every endpoint that has codes of its own are tried', () => {
	const own = Array.from({ length: 200 }, (_, index) => 100 - index);
	const withCodes = ENDPOINTS.filter(({ message }) =>
		own.some((code) => message(code) !== undefined),
	).map(({ path }) => path);
	expect(withCodes.length).toBeGreaterThan(10);
	expect(unnamedIn((file) => file.startsWith('refusals'), withCodes)).toEqual(WITHOUT_ROW);
});
