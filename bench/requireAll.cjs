// Usage: node bench/requireAll.cjs <folder of a package>. Loads its nodes and credentials as n8n does, and
// prints the milliseconds that took. n8n-workflow is loaded before, because n8n has it loaded, too.
const Module = require('node:module');
const { join } = require('node:path');

const workflow = require.resolve('n8n-workflow');
require(workflow);
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
	return request === 'n8n-workflow' ? workflow : resolve.call(this, request, ...rest);
};

const [, , folder] = process.argv;
const { nodes, credentials } = require(join(folder, 'package.json')).n8n;
const files = [...nodes, ...credentials].map((file) => join(folder, file));
const begin = process.hrtime.bigint();
for (const file of files) require(file);
console.log(Number(process.hrtime.bigint() - begin) / 1e6);
