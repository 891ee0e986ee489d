import type { Owner } from './index.mts';

/** The login of a demo that listens on loopback only and is thrown away afterwards. */
export const DEMO_OWNER: Owner = {
	email: 'demo@example.com',
	password: 'Kuaidaili-Demo-1',
	firstName: 'Demo',
	lastName: 'Owner',
};
