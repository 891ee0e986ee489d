import { tunnelEndpoint } from '../extraction/tunnelEndpoint.mts';

export const getTps = tunnelEndpoint('/api/gettps', 'TPS');
