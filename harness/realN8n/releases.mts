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

/** The oldest release that is supported: the last patch of n8n 2.36 whose packages npm has. */
export const OLDEST_N8N: N8nRelease = {
	version: '2.36.8',
	node: '24',
	overrides: {
		linkedom: '0.18.12',
		'@langchain/langgraph-checkpoint': '1.1.5',
		'@langchain/protocol': '0.0.19',
	},
};

/** The releases that every change is tried in. */
export const REGULAR_RELEASES: readonly N8nRelease[] = [CURRENT_N8N, OLDEST_N8N];

/** Every release by its version. Another line of n8n is one more entry. */
export const N8N_RELEASES: ReadonlyMap<string, N8nRelease> = new Map(
	REGULAR_RELEASES.map((release) => [release.version, release]),
);
