/** better-auth's paths, cookies and origin, without loading it. */

/** Where the routes are mounted. */
export const BASE_PATH = '/api/auth'

/**
 * The only origin that better-auth sees, lest it read one from the environment. The real host is in the Host header,
 * for `ownOrigins`. `.invalid` names no host (RFC 2606).
 */
export const INNER_ORIGIN = 'http://parlance.invalid'

/** Passes the client's address to better-auth; a client's own header is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-parlance-client-address'

/** Cookies ignore ports: two servers on a machine would share better-auth's default. */
export const COOKIE_PREFIX = 'parlance'

/** The cookie of a session. */
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`

/** The cookie of a sign-in waiting for its second factor. */
export const TWO_FACTOR_COOKIE = `${COOKIE_PREFIX}.two_factor`

/** A session's life after its start or last extension. */
export const SESSION_SECONDS = 7 * 24 * 60 * 60
/** After this time, use extends the session. */
export const REFRESH_AFTER_SECONDS = 24 * 60 * 60

/** The OpenID provider's id in better-auth's tables and paths. */
export const PROVIDER = 'oidc'
/** The provider sends browsers back to this path. */
export const CALLBACK = `/callback/${PROVIDER}`
