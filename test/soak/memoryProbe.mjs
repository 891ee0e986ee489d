// @ts-check
// Loaded into n8n before its own code. Tells on loopback how much memory n8n holds on to, which is what
// is left after everything that can be collected was collected.
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

// n8n starts helpers of its own with the same environment
if (process.argv.includes('start')) {
	const server = createServer((_request, response) => {
		collect();
		const { heapUsed, rss } = process.memoryUsage();
		response.end(JSON.stringify({ heapUsed, rss }));
	});
	server.listen(Number(process.env.SOAK_PROBE_PORT), '127.0.0.1').unref();
}
