/** How better-auth is mounted: its paths, its cookies, the one origin it sees. Does not load better-auth itself. */

/** Where the routes are mounted. */
export const BASE_PATH = '/api/auth'

/**
 * The only origin that better-auth ever sees: left to itself it takes one from the environment. The real host reaches it
 * in the Host header alone, for `ownOrigins`. `.invalid` names nobody (RFC 2606).
 */
export const INNER_ORIGIN = 'http://parlance.invalid'

/** Tells better-auth the client's address; whatever a client itself sends under this name is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-parlance-client-address'

/** Cookies do not keep ports apart: by better-auth's default, two servers on one machine would share them. */
export const COOKIE_PREFIX = 'parlance'

/** The cookie of a session. */
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token`

/** The cookie of a sign-in that waits for its second factor. */
export const TWO_FACTOR_COOKIE = `${COOKIE_PREFIX}.two_factor`

/** A session ends this long after it was made or last extended. */
export const SESSION_SECONDS = 7 * 24 * 60 * 60
/** It is extended when it is used this long after that. */
export const REFRESH_AFTER_SECONDS = 24 * 60 * 60

/** The OpenID provider's id in better-auth's tables and paths. */
export const PROVIDER = 'oidc'
/** Where it sends browsers back to. */
export const CALLBACK = `/callback/${PROVIDER}`
