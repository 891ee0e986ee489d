import { clockCorrection, stampAt, type SignatureStamp } from '../../shared/api/sign';
import type { EpochMs } from '../../shared/service/chinaTime';

/**
 * A signature that all processes make alike for the same request at the same moment, so that the service carries out
 * one of them, and refuses the others as replays. This process has not used it before.
 */
export interface SharedSignature {
	/** Names the request, in all processes alike. */
	readonly seed: string;
	/** The beginning of the window that it is signed in. */
	readonly signedAt: EpochMs;
	readonly stamp: SignatureStamp;
	/** For a request that never left this machine. */
	giveBack(): void;
}

/** For so long, processes sign a shared request alike. */
const SIGNATURE_WINDOW_MS = 10_000;

/** When the present window began, by the clock of the service. */
function windowStart(origin: string, now: EpochMs): EpochMs {
	const signingTime = now + clockCorrection(origin);
	return signingTime - (signingTime % SIGNATURE_WINDOW_MS);
}

/** How long the present window lasts yet, in milliseconds. */
export function windowLeftMs(origin: string, now: EpochMs = Date.now()): number {
	return windowStart(origin, now) + SIGNATURE_WINDOW_MS - now - clockCorrection(origin);
}

/** Signatures of this process by seed, with their window: the service would take another one for a replay. */
const usedSignatures = new Map<string, EpochMs>();

/**
 * @returns the shared signature of the present window; undefined where this process has used it, so that another
 * attempt waits for the next one
 */
export function signatureOnce(
	origin: string,
	seed: string,
	now: EpochMs = Date.now(),
): SharedSignature | undefined {
	const signedAt = windowStart(origin, now);
	if (usedSignatures.get(seed) === signedAt) return undefined;
	for (const [used, at] of usedSignatures) {
		if (at !== signedAt) usedSignatures.delete(used);
	}
	usedSignatures.set(seed, signedAt);
	const stamp = stampAt(signedAt, seed);
	return { seed, signedAt, stamp, giveBack: () => void usedSignatures.delete(seed) };
}
