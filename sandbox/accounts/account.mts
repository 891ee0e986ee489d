export interface KeyPair {
	secretId: string;
	secretKey: string;
}

export interface Account {
	keys: KeyPair;
	/** In fen (1/100 yuan), because money is not counted in floating point. */
	balanceInFen: number;
	/** What it has paid so far, which decides how many User-Agent strings it gets at a time. */
	spentInFen: number;
	/** Addresses that may call the API; undefined = everybody. Anybody else gets -108. */
	apiWhitelist: string[] | undefined;
}

export function newAccount(name: string, settings: Partial<Account> = {}): Account {
	return {
		keys: { secretId: `${name}-id`, secretKey: `${name}-key` },
		balanceInFen: 0,
		spentInFen: 0,
		apiWhitelist: undefined,
		...settings,
	};
}

export function yuan(fen: number): string {
	return (fen / 100).toFixed(2);
}
