import type * as credentialModule from '../../credentials/KuaidailiApi.credentials.ts';
import type * as nodeModule from '../../nodes/Kuaidaili/Kuaidaili.node.ts';

/*
 * The built files, as they are published: what a test of the engine proves must hold for those. They
 * carry no types, so the types come from their sources.
 */
const credential: typeof credentialModule = require('../../dist/credentials/KuaidailiApi.credentials.js');
const node: typeof nodeModule = require('../../dist/nodes/Kuaidaili/Kuaidaili.node.js');

export const { KuaidailiApi } = credential;
export const { Kuaidaili } = node;
