/** A real n8n for the demo, for end-to-end tests and for measurements: installed, started and asked from here. */
export { cacheFolder } from './cacheFolder.mts';
export type { N8nPlace } from './environment.mts';
export { LIKE_N8N_3 } from './likeN8n3.mts';
export { openN8n, type N8nOptions, type OpenN8n } from './openN8n.mts';
export { DEMO_OWNER } from './owner.mts';
export { itemsOf, type FinishedRun } from './finishedRun.mts';
export { provideN8n } from './install.mts';
export { installByHand, packIntoN8n, type InstalledPackage } from './packPackage.mts';
export { freePort, isPortFree } from './ports.mts';
export type { N8nProgram } from './program.mts';
export {
	CURRENT_N8N,
	N8N_RELEASES,
	OLDEST_N8N,
	REGULAR_RELEASES,
	type N8nRelease,
} from './releases.mts';
export { RestClient, type CredentialToTest, type NewCredential } from './restClient.mts';
export type { Owner } from './restConnection.mts';
export { runN8nCommand, startServer, writePrivateJson, type N8nServer } from './server.mts';
export { openSandbox, sessionFolder, type N8nSession } from './session.mts';
export { startWorker } from './worker.mts';
