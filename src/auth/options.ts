/** What the accounts are opened with. */
import type { Background, Log } from '../scheduling/background.ts'
import type { Engine } from './engine.ts'
import type { OidcSettings } from './oidc.ts'
import type { SignUpMode } from './sign-up-policy.ts'

/** The operator's log. */
export type AuthLog = Omit<Log, 'info'> & Partial<Log>

/** For callers without a log. */
export const SILENT: AuthLog = { warn: () => {}, error: () => {} }

export interface AuthOptions {
  dataDir: string
  signUp: SignUpMode
  rateLimit: boolean
  /** Signs session cookies; by default the one in DATA_DIR/secret, or what all nodes share. */
  secret?: string
  /** Milliseconds since 1970; better-auth's sessions use the system's clock. */
  now?: () => number
  /** The OpenID provider for sign-ins. */
  oidc?: OidcSettings
  /** @param elsewhere whether another node has deleted it; called again for what is gone already */
  onOrganizationDeleted?: (id: string, elsewhere: boolean) => Promise<void> | void
  /**
   * Resolves when the organization's writes so far are durable or refused; awaited before a right's loss is confirmed.
   */
  settle?: (organization: string) => Promise<void>
  /** What is wrong with the projects that rights name, as a sentence; undefined where all of them exist. */
  projectsFault?: (organization: string, slugs: readonly string[]) => Promise<string | undefined>
  log?: AuthLog
  /** This server's public address for invitations, which otherwise hold the path alone. */
  baseUrl?: string
  background?: Background
  /** Called after an invitation was stored; it neither throws nor waits. */
  onInvited?: (invitation: { id: string; email: string; organization: string; by: string }) => void
  /** Opens accounts that are not in SQLite in the data folder. @throws Failure `unavailable` */
  openEngine?: (options: EngineOptions) => Promise<Engine>
}

/** The options that an engine needs. */
export type EngineOptions = Pick<AuthOptions, 'secret' | 'settle' | 'background' | 'log'> & { dataDir?: string }
