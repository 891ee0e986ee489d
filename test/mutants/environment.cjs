const { appendFileSync, readFileSync, writeSync } = require('node:fs');
const { TestEnvironment } = require('jest-environment-node');

const turnedOn = Number(process.env.MUTANT ?? 0);
const { MEETINGS } = process.env;
const chosen =
	process.env.CHOSEN === undefined
		? undefined
		: JSON.parse(readFileSync(process.env.CHOSEN, 'utf8'));

/** @returns {string} with the names of the blocks around it */
function nameOf({ name, parent }) {
	return parent === undefined ? '' : `${nameOf(parent)}/${name}`;
}

function testsIn({ children }) {
	return children.flatMap((child) => (child.type === 'test' ? [child] : testsIn(child)));
}

/**
 * Turns on the mistake with the number MUTANT for the tests in CHOSEN, and ends the process with the first
 * that fails. Without one, notes in MEETINGS which test meets which mistake.
 */
module.exports = class extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		this.file = context.testPath;
		/** What the file itself has met, and what the test that runs. */
		this.metByFile = new Set();
		this.met = this.metByFile;
		this.tests = [];
		this.global.mutant = (id) => {
			if (MEETINGS !== undefined) this.met.add(id);
			return id === turnedOn;
		};
	}

	handleTestEvent(event, state) {
		if (event.name === 'run_start') this.choose(testsIn(state.rootDescribeBlock));
		else if (event.name === 'test_start') this.met = new Set();
		else if (event.name === 'test_done') this.end(event.test);
		else if (event.name === 'run_finish' && MEETINGS !== undefined) this.write();
	}

	choose(tests) {
		const names = chosen?.[this.file];
		if (names === undefined) return;
		for (const test of tests) if (!names.includes(nameOf(test))) test.mode = 'skip';
	}

	end(test) {
		const failed = test.errors.length > 0;
		if (MEETINGS !== undefined) {
			this.tests.push({ name: nameOf(test), ms: test.duration ?? 0, failed, met: [...this.met] });
			this.met = this.metByFile;
		} else if (failed) {
			// What a stream has not written yet is lost with the process
			writeSync(1, `${this.file}: ${nameOf(test)}\n`);
			process.exit(1);
		}
	}

	write() {
		const { file, metByFile, tests } = this;
		appendFileSync(MEETINGS, `${JSON.stringify({ file, met: [...metByFile], tests })}\n`);
	}
};
