import { tunnelEndpoint } from '../extraction/tunnelEndpoint.mts';

export const getTpsPro = tunnelEndpoint('/api/gettpspro', 'TPS_PRO');
