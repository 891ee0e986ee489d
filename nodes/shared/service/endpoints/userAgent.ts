import { read } from '../endpoint';

/**
 * Paying accounts may call it five times per second, free ones once; an answer does not tell which of them
 * it is. The service documents no codes of its own.
 */
export const GET_UA = read('/api/getua', { key: 'either' });
