const { default: Sequencer } = require('@jest/test-sequencer');

/** They need no n8n, which takes two seconds to load. */
module.exports = class extends Sequencer {
	sort(tests) {
		const isSlow = ({ context }) => Number(context.config.displayName?.name !== 'no-engine');
		return [...super.sort(tests)].sort((a, b) => isSlow(a) - isSlow(b));
	}
};
