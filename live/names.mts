import { isRecord } from '../harness/outsideData.mts';

/** Shorter values are found in any word. */
const SHORTEST_SECRET = 4;

/**
 * Decides which names of an answer may stand in the report. Nothing of a value ever does; a name of a field that
 * nobody knows may be a value in the wrong place.
 */
export class ShownNames {
	private readonly values = new Set<string>();

	/** Remembers all texts, long numbers, and keys of an answer. */
	learn(value: unknown): void {
		if (typeof value === 'string' || typeof value === 'number') this.values.add(String(value));
		else if (Array.isArray(value)) for (const each of value) this.learn(each);
		else if (isRecord(value)) for (const each of Object.values(value)) this.learn(each);
	}

	/** A name of the service as it may be shown: letters and underscores, and nothing that came as a value. */
	show(name: string): string {
		const looksLikeAField = /^[a-z]{1,20}(?:_[a-z]{1,20}){0,3}$/i.test(name);
		return looksLikeAField && !this.isValue(name) ? name : '(a name that is not shown)';
	}

	private isValue(name: string): boolean {
		for (const value of this.values) {
			if (value.length < SHORTEST_SECRET) continue;
			if (name.includes(value) || (name.length >= SHORTEST_SECRET && value.includes(name))) {
				return true;
			}
		}
		return false;
	}

	/** The last line of defense: no known value of some length leaves in a text. */
	conceal(text: string, secrets: readonly string[]): string {
		return secrets
			.filter((secret) => secret.length >= SHORTEST_SECRET)
			.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
	}
}
