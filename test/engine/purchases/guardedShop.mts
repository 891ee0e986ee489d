import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { startBrokenService, type BrokenService } from '../support/brokenService.mts';
import { Engine, type RunResult, type RunSettings } from '../support/engine.mts';
import { NEW_TUNNEL } from '../support/newTunnel.mts';

/*
 * n8n has ways of its own to send or to run something again. How often the service was asked to sell is
 * what it counted itself.
 */
export const engine = new Engine();
const services: BrokenService[] = [];

jest.setTimeout(30_000);

afterAll(async () => {
	await Promise.all(services.map(async (service) => await service.close()));
});

export const UNCLEAR = /^The order may have been placed: /;

interface Shop {
	service: BrokenService;
	credential: ICredentialDataDecryptedObject;
	credentialId: string;
	buy(settings?: Partial<RunSettings>): Promise<RunResult>;
}

/** A service of its own for each test, and keys of its own, so that none waits for the pace of another. */
export async function openShop(
	signType: 'hmacsha1' | 'token',
	...answers: Parameters<typeof startBrokenService>
): Promise<Shop> {
	const service = await startBrokenService(...answers);
	services.push(service);
	const credential = credentialData(service.hosts, uniqueKeys(), 'account', signType);
	const credentialId = engine.addCredential(credential);
	return {
		service,
		credential,
		credentialId,
		buy: async (settings) =>
			await engine.run({ credentialId, parameters: NEW_TUNNEL, ...settings }),
	};
}
