/** The numbers of rows that one user or organization may have, and the sentences when a number is reached. */

/** Valid sessions of a user. A further sign-in ends the oldest one. */
export const MOST_SESSIONS = 2_000
/** Characters of the user agent that a session stores. One list has all sessions of a user. */
export const MAX_USER_AGENT = 512
/** Organizations that a user is a member of. */
export const MOST_ORGANIZATIONS = 200
/** API tokens of an organization, expired ones too. */
export const MOST_TOKENS = 1_000
/** Members of an organization. */
export const MOST_MEMBERS = 10_000
/** Members in one answer. better-auth needs 50 to 100 microseconds of the main thread for each. */
export const MOST_MEMBERS_AT_ONCE = 500
/** Invitations of an organization that are pending and valid. */
export const MOST_PENDING_INVITATIONS = 1_000
/** Invitations of an organization, of any status. A further one deletes the oldest that are not pending. */
export const MOST_INVITATIONS = 2_000

/**
 * Rows in one list of better-auth. Its default of 100 hid sessions and invitations. The number is above each bound
 * here, so that no list is cut.
 */
export const MOST_LISTED = 20_000
