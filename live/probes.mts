import type { Endpoint } from '../nodes/shared/service/endpoint.ts';
import { EXTRACTION_ENDPOINTS, READ_ENDPOINTS } from './callable.mts';

/** A call of a reading endpoint, made in the same way to the service and to the sandbox. */
export interface Probe {
	readonly endpoint: Endpoint;
	/** Told apart in the report where an endpoint is asked in several ways. */
	readonly variant: string;
	readonly parameters: Readonly<Record<string, string>>;
	/** Which orders are asked; undefined for an endpoint that needs no order. */
	readonly products: readonly string[] | undefined;
	/** Paths of objects whose keys are data. */
	readonly maps: readonly string[];
}

interface ProbeRow {
	readonly parameters?: Readonly<Record<string, string>>;
	readonly variant?: string;
	readonly products?: readonly string[];
	readonly maps?: readonly string[];
}

const ALL_PRODUCTS = ['DPS', 'KPS', 'OPS', 'TPS', 'TPS_PRO', 'FPS', 'SFPS'];
const WITH_WHITELIST = ALL_PRODUCTS.filter((product) => product !== 'OPS');
const OF_ORDERS: readonly ProbeRow[] = [{ products: ALL_PRODUCTS }];
/** Of a range for documentation, so it is nobody's proxy. */
const NOBODYS_PROXY = { proxy: '192.0.2.1:8080' };

/** By path. Every reading endpoint has a row, and a test says which one lacks it. */
export const PROBE_ROWS: Readonly<Record<string, readonly ProbeRow[]>> = {
	'/api/getaccountbalance': [{}],
	'/api/getaccountorders': [
		{ variant: 'active' },
		{ variant: 'all', parameters: { status: 'ALL' } },
	],
	// Asked for the key pair of each order; the number is filled in there
	'/api/getordersecret': [],
	// Asked with the key pair itself
	'/api/get_secret_token': [{}],
	'/api/getua': [{ parameters: { num: '1' } }],
	'/api/getmyip': [{}],
	'/api/getareacode': [
		{ variant: 'a city', parameters: { area: '杭州市' } },
		{ variant: 'no such place', parameters: { area: '没有这个地方' } },
	],
	'/api/getfpscountrycode': [{ maps: ['data'] }],
	'/api/getfpsareacode': [{ parameters: { region: 'US' } }],
	'/api/gettpsprovcode': [{ maps: ['data'] }],
	'/api/gettpscitycode': [{ parameters: { prov: '33' }, maps: ['data'] }],
	'/api/querykpscity': [
		{
			variant: 'shared',
			parameters: { serie: '1', 'kps.max_bandwidth': '1', model: 'STA' },
		},
		{ variant: 'exclusive', parameters: { serie: '2' } },
	],
	'/api/querysfpsarea': [
		{ variant: 'retail', parameters: { serie: '1' } },
		{ variant: 'package', parameters: { serie: '2' } },
	],
	'/api/getorderinfo': OF_ORDERS,
	'/api/getorderexpiretime': OF_ORDERS,
	'/api/getproxyauthorization': [
		{ products: WITH_WHITELIST, variant: 'encoded' },
		{ products: WITH_WHITELIST, variant: 'in plain text', parameters: { plaintext: '1' } },
	],
	'/api/getipwhitelist': [{ products: WITH_WHITELIST }],
	'/api/dpsresources': [{ products: ['DPS'] }],
	'/api/getipbalance': [{ products: ['DPS'] }],
	'/api/checkdpsvalid': [{ products: ['DPS'], parameters: NOBODYS_PROXY, maps: ['data'] }],
	'/api/getdpsvalidtime': [{ products: ['DPS'], parameters: NOBODYS_PROXY, maps: ['data'] }],
	'/api/checkopsvalid': [{ products: ['OPS'], parameters: NOBODYS_PROXY, maps: ['data'] }],
	'/api/getkps': [{ products: ['KPS'], parameters: { num: '1', format: 'json' } }],
	// No answer names an ID, so one is asked for that does not exist
	'/api/getkpsbyid': [{ products: ['KPS'], parameters: { f_id: 'lrps-1' } }],
	'/api/gettps': [{ products: ['TPS'], parameters: { num: '1', format: 'json' } }],
	'/api/gettpspro': [{ products: ['TPS_PRO'], parameters: { num: '1', format: 'json' } }],
	'/api/tpscurrentip': [{ products: ['TPS'] }],
	'/api/tpsprocurrentip': [{ products: ['TPS_PRO'], maps: ['data'] }],
	'/api/getfps': [{ products: ['FPS'], parameters: { format: 'json' } }],
	'/api/getfpsflow': [{ products: ['FPS'] }],
	'/api/getsfps': [{ products: ['SFPS'], parameters: { format: 'json' } }],
};

/** The extraction of one proxy for each product that has one, by path. Text brings least. */
export const EXTRACTION_ROWS: Readonly<Record<string, ProbeRow>> = {
	'/api/getdps': {
		products: ['DPS'],
		parameters: {
			num: '1',
			format: 'json',
			f_loc: '1',
			f_citycode: '1',
			f_et: '1',
			f_carrier: '1',
		},
	},
	'/api/getfpsip': {
		products: ['FPS'],
		parameters: { num: '1', period: '1', format: 'json' },
	},
	// A regular order gives text only
	'/api/getproxy': { products: ['OPS'], parameters: { num: '1' } },
};

const probe = (
	endpoint: Endpoint,
	{ variant = '', parameters = {}, products, maps = [] }: ProbeRow,
): Probe => ({ endpoint, variant, parameters, products, maps });

export const PROBES: readonly Probe[] = READ_ENDPOINTS.flatMap((endpoint) =>
	(PROBE_ROWS[endpoint.path] ?? []).map((row) => probe(endpoint, row)),
);

export const EXTRACTION_PROBES: readonly Probe[] = Object.entries(EXTRACTION_ROWS).flatMap(
	([path, row]) =>
		EXTRACTION_ENDPOINTS.filter((endpoint) => endpoint.path === path)
			.slice(0, 1)
			.map((endpoint) => probe(endpoint, row)),
);
