import { fingerprintOf } from '../../shared/fingerprint';
import type { Item } from '../operation';
import { RunSupply, TunnelSource, type ProxySource } from './lease';
import { ListSource } from './listSource';
import type { ProxyRequest } from './productFields';
import { stockKeyOf } from './supply';

/** The sources of one run: one for all items with the same order and settings. */
export class ProxySources extends RunSupply {
	private readonly sources = new Map<string, ProxySource>();

	/** @throws what getting the key pair of the order throws */
	async sourceFor(
		item: Item,
		request: ProxyRequest,
		pagesPerProxy: number,
		secondsPerIp?: number,
	): Promise<ProxySource> {
		const key = await stockKeyOf(request, item);
		const { reuse, loginSettings, scheme, extras, maxExtractions } = request;
		const ofRun = [extras, request.waitForCallers, request.waitForNewOrder, maxExtractions];
		const id = fingerprintOf(key, reuse, loginSettings, scheme, ofRun, pagesPerProxy);
		const settings = { run: this, request, item, key, pagesPerProxy, secondsPerIp };
		const Source = request.isShared === true ? TunnelSource : ListSource;
		const source = this.sources.get(id) ?? new Source(settings);
		this.sources.set(id, source);
		return source;
	}
}
