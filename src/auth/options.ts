/** What the accounts are opened with. */
import type { Background } from '../background.ts'
import type { SignUpMode } from './admission.ts'
import type { OidcSettings } from './oidc.ts'

/** The log as this part uses it: the operator's, never a caller's. */
export interface AuthLog {
  info?(data: object, message: string): void
  warn(data: object, message: string): void
  error(data: object, message: string): void
}

/** For callers that want no log. */
export const SILENT: AuthLog = { warn: () => {}, error: () => {} }

/** See the top of the file. */
export interface AuthOptions {
  dataDir: string
  signUp: SignUpMode
  rateLimit: boolean
  /** Signs the session cookies; absent: the one in DATA_DIR/secret. */
  secret?: string
  /** Milliseconds since 1970, for tokens, invitations and limits; better-auth's sessions go by the system's clock. */
  now?: () => number
  /** The OpenID provider that people may sign in by. */
  oidc?: OidcSettings
  onOrganizationDeleted?: (id: string) => Promise<void> | void
  /**
   * Resolves when every write of the organization that was asked for by now is durable or refused: awaited between the
   * loss of a right and its acknowledgement.
   */
  settle?: (organization: string) => Promise<void>
  log?: AuthLog
  /** Where browsers find this server, for the addresses in invitations; absent: those begin with the path. */
  baseUrl?: string
  background?: Background
}
