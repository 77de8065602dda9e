/** Limits of comments, for the server and the dashboard. */

/** Maximum characters of a comment. */
export const MAX_COMMENT = 4000
/** Maximum comments on a key that a new one may join. */
export const MAX_COMMENTS = 500
