import { CURRENT_N8N, OLDEST_N8N } from '../../harness/realN8n/releases.mts';
import { readOptions } from './options.mts';

const releasesFor = (args: readonly string[]) => readOptions(args)?.releases;

describe('The options of the end-to-end tests', () => {
	it('choose among the releases of n8n', () => {
		expect(releasesFor([])).toEqual([CURRENT_N8N, OLDEST_N8N]);
		expect(releasesFor(['--n8n', OLDEST_N8N.version])).toEqual([OLDEST_N8N]);
		expect(releasesFor([`--n8n=${CURRENT_N8N.version}`])).toEqual([CURRENT_N8N]);
		expect(releasesFor(['--help'])).toBeUndefined();
	});

	it('choose among the checks', () => {
		expect(readOptions([])?.only).toBe('');
		const options = readOptions(['--only', 'Products', `--n8n=${OLDEST_N8N.version}`]);
		expect(options).toEqual({ releases: [OLDEST_N8N], only: 'products' });
	});

	it.each([['--n8n'], ['--n8n=0.1.0'], ['--n9n'], ['--n8n=2.41.1=more'], ['--only']])(
		'refuse %s',
		(option) => {
			expect(() => readOptions([option])).toThrow(CURRENT_N8N.version);
		},
	);
});
