import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The file that n8n trusts with NODE_EXTRA_CA_CERTS. */
export const CERTIFICATE_FILE = fileURLToPath(new URL('certificate.pem', import.meta.url));

/**
 * Signed by itself, for localhost, 127.0.0.1 and the names of the sandbox's pages, from 2020 to 2120. A
 * client trusts it with `ca`. Everybody can read its key, so it protects nothing.
 */
export const CERTIFICATE = readFileSync(CERTIFICATE_FILE, 'utf8');

export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3lME92g7HMkaB2lb
vG1r6X5vaFjYrj+NBzlN8nl/dGehRANCAATVXb9RjH0Q1iLT7EFfT1kCqKjae6nL
RphV8MjiI8OL5JIGsBVgzkyhQ31cEMP2+i0mHXSM3CuNf2j9fYTyAN7i
-----END PRIVATE KEY-----
`;
