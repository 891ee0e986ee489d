export { NEW_TUNNEL } from './customer.mts';
