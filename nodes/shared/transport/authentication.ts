import type { KeyPair, KuaidailiCredential } from '../credential/kuaidailiCredential';
import { GET_SECRET_TOKEN } from '../service/endpoints/token';
import type { ApiError } from './callErrors';
import type { Secrets } from './cleanText';
import { discardSharedToken } from './sharedToken';

/** Wrong signature, expired, no token: the service does not know the token, or no longer. */
const TOKEN_REFUSED: ReadonlySet<number> = new Set([-104, -107, -122]);

/** No such key pair, wrong signature: it may have been changed in the member center. */
const KEY_PAIR_REFUSED: ReadonlySet<number> = new Set([-102, -104]);

/** What the token endpoint says to the old Secret Key. */
const WRONG_KEY = -2;

export interface AuthenticationSources {
	/** Gets the token of a key pair, where the sign type needs one. */
	readonly obtainToken: (credential: KuaidailiCredential, secrets: Secrets) => Promise<string>;
	/**
	 * How the present key pair of an order is fetched after this one was refused; undefined where that
	 * cannot help. Left out for the key pair of the credential.
	 */
	readonly renewKeyPair?: (refused: KeyPair) => (() => Promise<KeyPair>) | undefined;
}

/** What the requests of one caller prove themselves with: a key pair, and a token where that is the sign type. */
export class Authentication {
	private currentToken: string | undefined;
	private refusedToken: string | undefined;
	private fetchKeyPair: (() => Promise<KeyPair>) | undefined;

	constructor(
		private currentCredential: KuaidailiCredential,
		private readonly sources: AuthenticationSources,
	) {}

	get credential(): KuaidailiCredential {
		return this.currentCredential;
	}

	/** Undefined with sign type hmacsha1, and before `prepare`. */
	get token(): string | undefined {
		return this.currentToken;
	}

	secrets(): Secrets {
		return [this.credential.secretKey, this.token ?? '', this.refusedToken ?? ''];
	}

	/** Gets what is needed; rejects as the fetching does. */
	async prepare(): Promise<void> {
		if (this.fetchKeyPair !== undefined) {
			const keyPair = await this.fetchKeyPair();
			this.currentCredential = { ...this.credential, ...keyPair };
			this.fetchKeyPair = undefined;
		}
		if (this.credential.signType === 'token') {
			this.currentToken = await this.sources.obtainToken(this.credential, this.secrets());
		}
	}

	/**
	 * Forgets what the service refused, so that `prepare` fetches it anew.
	 *
	 * @returns false where nothing can be fetched anew
	 */
	renew({ endpoint, code }: ApiError): boolean {
		const isOldKey = endpoint === GET_SECRET_TOKEN && code === WRONG_KEY;
		if (isOldKey || KEY_PAIR_REFUSED.has(code)) {
			this.fetchKeyPair = this.sources.renewKeyPair?.(this.credential);
		}
		if (this.currentToken !== undefined && TOKEN_REFUSED.has(code)) {
			discardSharedToken(this.credential, this.currentToken);
			this.refusedToken = this.currentToken;
			this.currentToken = undefined;
			return true;
		}
		return this.fetchKeyPair !== undefined;
	}
}
