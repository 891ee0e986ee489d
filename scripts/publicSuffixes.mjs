// @ts-check
/** Stands for tldts in the bundle of the cookie jar, without its packed list of 10,000 suffixes. */

/** What countries commonly have below their own letters, such as `com.cn`, `co.uk`, and `or.jp`. */
const SECOND_LEVEL =
	/^(?:ac|co|com|edu|go|gob|gov|gouv|ltd|mil|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/;

const IPV4 = /^\d+(?:\.\d+){3}$/;

/**
 * The domain that somebody has registered, such as `example.com.cn` for `www.example.com.cn`, so that no site sets
 * cookies for all of `com.cn`; null for addresses and for what is a public suffix itself.
 *
 * @param {string} host
 * @returns {string | null}
 */
export function getDomain(host) {
	const labels = host.toLowerCase().replace(/\.$/, '').split('.');
	const count = SECOND_LEVEL.test(labels.slice(-2).join('.')) ? 3 : 2;
	if (labels.length < count || IPV4.test(host) || host.includes(':')) return null;
	return labels.slice(-count).join('.');
}
