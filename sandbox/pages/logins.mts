import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Departure } from '../forwarding/targetConnections.mts';
import { loginForm, short } from './bodies.mts';

export const LOGIN = { user: 'demo', password: 'demo' } as const;

type ThroughOf = (request: FastifyRequest) => Departure | undefined;

/**
 * Pages that know their visitors by cookies. As on many real sites, who was logged in is logged out when
 * the address changes.
 */
export function addLoginRoutes(app: FastifyInstance, throughOf: ThroughOf): void {
	const sessions = new Map<string, string | undefined>();

	app.get('/login', (_request, reply) => reply.type('text/html; charset=utf-8').send(loginForm));

	app.post('/login', (request, reply) => {
		const { user, password } = fieldsOf(request);
		if (user !== LOGIN.user || password !== LOGIN.password) {
			return reply.code(401).type('text/html').send(short('Log in', 'Wrong user or password.'));
		}
		const session = randomBytes(8).toString('hex');
		sessions.set(session, throughOf(request)?.exit);
		return reply
			.header('set-cookie', [`session=${session}; Path=/; HttpOnly`, 'theme=dark; Path=/'])
			.redirect('/account', 303);
	});

	app.get('/account', (request, reply) => {
		const session = cookiesOf(request).get('session') ?? '';
		const isKnown = sessions.has(session) && sessions.get(session) === throughOf(request)?.exit;
		if (!isKnown) return reply.redirect('/login');
		return reply.type('text/html; charset=utf-8').send(short('Account', `Welcome, ${LOGIN.user}.`));
	});

	app.get('/cookies', (request) => Object.fromEntries(cookiesOf(request)));

	app.get<{ Querystring: { cookie?: string | string[] } }>('/cookies/set', ({ query }, reply) =>
		reply.header('set-cookie', [query.cookie ?? []].flat()).redirect('/cookies'),
	);
}

function fieldsOf({ body, headers }: FastifyRequest): Record<string, unknown> {
	const text = Buffer.isBuffer(body) ? body.toString() : '';
	if (!headers['content-type']?.includes('json')) {
		return Object.fromEntries(new URLSearchParams(text));
	}
	const parsed: unknown = JSON.parse(text);
	return Object.fromEntries(Object.entries(Object(parsed)));
}

function cookiesOf({ headers }: FastifyRequest): ReadonlyMap<string, string> {
	const pairs = (headers.cookie ?? '').split('; ').filter(Boolean);
	return new Map(
		pairs.map((pair) => {
			const [name = '', ...value] = pair.split('=');
			return [name, value.join('=')];
		}),
	);
}
