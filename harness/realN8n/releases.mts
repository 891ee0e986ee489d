/** A version of n8n that this project can be tried in, with what npm needs to install it. */
export interface N8nRelease {
	readonly version: string;
	/** The Node.js line that is installed next to n8n, whatever the machine has. */
	readonly node: string;
	/** Transitive packages at versions that resolve on every mirror and fit each other. */
	readonly overrides: Readonly<Record<string, string>>;
}

export const CURRENT_N8N: N8nRelease = {
	version: '2.41.1',
	node: '24',
	overrides: {
		linkedom: '0.18.12',
		'@langchain/langgraph-checkpoint': '1.1.5',
		'@langchain/protocol': '0.0.19',
	},
};

/** The oldest line that installs: n8n 1, in its last minor version. */
export const OLDEST_N8N: N8nRelease = {
	version: '1.123.81',
	node: '24',
	overrides: {
		// Its own is a file outside of the registry
		xlsx: '0.18.5',
		linkedom: '0.18.12',
		'@langchain/langgraph-checkpoint': '1.0.0',
		'@langchain/protocol': '0.0.19',
	},
};

/** Between the two, from early 2026. */
export const EARLIER_N8N: N8nRelease = {
	version: '2.8.4',
	node: '24',
	overrides: {
		...OLDEST_N8N.overrides,
		// Without peer dependencies, an ancient one would be shared by all
		'@opentelemetry/core': '2.12.1',
	},
};

/** What every change is tried in. */
export const REGULAR_RELEASES: readonly N8nRelease[] = [CURRENT_N8N, OLDEST_N8N];

/** Every release by its version. Another line of n8n is one more entry. */
export const N8N_RELEASES: ReadonlyMap<string, N8nRelease> = new Map(
	[...REGULAR_RELEASES, EARLIER_N8N].map((release) => [release.version, release]),
);
