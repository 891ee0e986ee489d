import { CURRENT_N8N, OLDEST_N8N } from '../../harness/realN8n/releases.mts';
import { readReleases } from './options.mts';

describe('The options of the end-to-end tests', () => {
	it('choose among the releases of n8n', () => {
		expect(readReleases([])).toEqual([CURRENT_N8N, OLDEST_N8N]);
		expect(readReleases(['--n8n', OLDEST_N8N.version])).toEqual([OLDEST_N8N]);
		expect(readReleases([`--n8n=${CURRENT_N8N.version}`])).toEqual([CURRENT_N8N]);
		expect(readReleases(['--help'])).toBeUndefined();
	});

	it.each([['--n8n'], ['--n8n=0.1.0'], ['--n9n'], ['--n8n=2.41.1=more']])('refuse %s', (option) => {
		expect(() => readReleases([option])).toThrow(CURRENT_N8N.version);
	});
});
