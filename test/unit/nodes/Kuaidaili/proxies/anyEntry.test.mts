import fc from 'fast-check';

import {
	beginsWithAddress,
	readProxyEntry,
	type ExtraName,
} from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { anyText, expectSame, MANY_RUNS } from '../../../support/properties.mts';
import { address, completeEntry, requestedNames, value } from '../../../support/proxyEntries.mts';

it('reads every complete entry exactly, whatever its values are', () => {
	fc.assert(
		fc.property(requestedNames.chain(completeEntry), ({ entry, requested, proxy }) => {
			expectSame(readProxyEntry(entry, requested), proxy);
			expectSame(beginsWithAddress(entry), true);
		}),
		MANY_RUNS,
	);
});

it('reads an address that the HTTP Request node can use', () => {
	fc.assert(
		fc.property(address, ([{ shown }, port]) => {
			const { proxyUrl, host } = readProxyEntry(`${shown}:${port}`, []) ?? {};
			const url = new URL(proxyUrl ?? '');
			const bare = [url.username, url.password, url.search, url.hash, url.pathname].join('');
			expectSame([url.port === '' ? 80 : Number(url.port), bare], [port, '/']);
			expect(url.host).toMatch(shown.startsWith('[') ? /^\[/ : new RegExp(`^${shown}(:|$)`, 'i'));
			expectSame(shown, shown.startsWith('[') ? `[${host}]` : host);
		}),
		MANY_RUNS,
	);
});

it('keeps an entry whole that has more or fewer values than were asked for', () => {
	const other = fc
		.tuple(requestedNames, fc.array(value, { maxLength: 6 }), value)
		.map(([names, values, last]): [ExtraName[], string[]] => [names, [...values, last || 'x']])
		.filter(([names, values]) => names.length !== values.length);
	fc.assert(
		fc.property(other, ([names, values]) => {
			const entry = ['1.2.3.4:80', ...values].join(',');
			expectSame(readProxyEntry(entry, names), {
				proxyUrl: 'http://1.2.3.4:80',
				address: '1.2.3.4:80',
				host: '1.2.3.4',
				port: 80,
				raw: entry.trim(),
			});
		}),
		MANY_RUNS,
	);
});

it('never gives another host or port than the entry has, whatever it is', () => {
	const entry = fc.oneof(
		anyText(),
		fc.string({ unit: fc.constantFrom(...'0123456789.:[],af- ') }),
		fc.tuple(address, fc.nat(), anyText(2)).map(([[{ shown }, port], at, put]) => {
			const text = `${shown}:${port},北京`;
			const position = at % text.length;
			return text.slice(0, position) + put + text.slice(position + 1);
		}),
	);
	fc.assert(
		fc.property(entry, requestedNames, (text, requested) => {
			const found = readProxyEntry(text, requested);
			expectSame(beginsWithAddress(text), found !== undefined);
			if (found === undefined) return;
			const first = text.split(',')[0].trim();
			if (found.address !== first) {
				// Something stands beside it: a login, or what nobody knows
				expectSame(first.includes(found.address), true);
				expectSame(found.username !== undefined || found.raw !== undefined, true);
				return;
			}
			const colon = first.lastIndexOf(':');
			expectSame(
				[found.address, found.proxyUrl, found.port],
				[first, `http://${first}`, Number(first.slice(colon + 1))],
			);
			expectSame(found.port > 0 && found.port < 65_536, true);
			expect([found.host, `[${found.host}]`]).toContain(first.slice(0, colon));
			expect(found.host).toMatch(/^[\w.:-]+$/);
		}),
		MANY_RUNS,
	);
});
