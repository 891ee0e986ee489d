import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { askAs, entriesOf, productOrder, startExtraction } from '../extracting.mts';
import { keepsTheExtractionRules } from './extractionRules.mts';

const PATH = '/api/getfps';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startExtraction();
	const order = productOrder(sandbox, 'fps');
	if (order.product !== 'FPS') throw new Error('It is another product');
	order.entrance = { host: 'us.example.com', httpPort: '18866', socksPort: '18867' };
});

afterEach(() => sandbox.close());

const ask = (parameters: Parameters) =>
	askAs(sandbox.keys.fps, { sandbox, host: 'fpsUrl', path: PATH }, parameters);

keepsTheExtractionRules({
	path: PATH,
	host: 'fpsUrl',
	keys: ['fps', 'fpsMonthly'],
	parameters: {},
	entries: 1,
	form: /[a-z\d.]+:\d{4,5}/,
});

it.each<[parameters: Parameters, entry: string]>([
	[{}, 'us.example.com:18866'],
	[{ num: '1' }, 'us.example.com:18866'],
	[{ pt: '1' }, 'us.example.com:18866'],
	[{ pt: '2' }, 'us.example.com:18867'],
	[{ region: 'JP' }, 'us.example.com:18866'],
	[{ region: '' }, 'us.example.com:18866'],
])('%j', async (parameters, entry) => {
	expect(entriesOf(await ask(parameters))).toEqual([entry]);
});
