import type { Place } from '../forwarding/proxyOpener.mts';
import type { Region } from './regions.mts';

export type Anonymity = 'high' | 'anonymous' | 'transparent';

/** An open proxy that can be extracted. Its address is real on this machine, the rest is invented. */
export interface OpenProxy extends Place {
	region: Region;
	/** 1 to 6, as in the parameter `carrier`. */
	carrier: number;
	anonymity: Anonymity;
	supportsHttps: boolean;
	supportsPost: boolean;
	/** 0 none, 1 fairly stable, 2 stable, as in the parameter `quality`. */
	quality: number;
	responseSeconds: number;
	checkedSecondsAgo: number;
	/** With false a check finds it dead. Only a test says so. */
	works: boolean;
}
