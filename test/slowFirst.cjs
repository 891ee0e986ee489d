const { default: Sequencer } = require('@jest/test-sequencer');

/** Begun last, one of them would keep a single processor busy while the others are done. */
const SLOW = [
	...['test/engine/together/purchases', 'test/engine/together/', 'test/unit/together/'],
	// Which waits most of its time
	'test/timing/realTime',
];

/** In a fresh clone, Jest knows of no file how long it takes. */
module.exports = class extends Sequencer {
	sort(tests) {
		const rank = ({ path }) => {
			const place = SLOW.findIndex((name) => path.replaceAll('\\', '/').includes(name));
			return place === -1 ? SLOW.length : place;
		};
		return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
	}
};
