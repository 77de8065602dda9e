/** `parlance server user …`: the operator creates accounts, lists them and lets people in again. */
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Role } from '../auth/access.ts'
import type { Accounts } from '../auth/accounts.ts'
import { listUsers } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import { counted, inColumns } from '../cli/terminal/table.ts'
import { findOrganization, withAccounts, withSharedAccounts } from './data-folder.ts'
import type { CommandCall, CommandTerminal, OperatorResult } from './report.ts'

interface NewUser {
  email: string
  name: string
  passwordStdin?: boolean
  organization?: string
  role?: Role
}

const shownOnce = (generated: boolean, password: string) =>
  generated ? [`Password, shown this once: ${password}`] : []

/** `parlance server user create`: an account, and perhaps a membership. */
export async function create(call: CommandCall<NewUser>): Promise<OperatorResult> {
  const { options, terminal } = call
  const { email, name, organization, role = 'member' } = options
  if (options.role && organization === undefined) {
    throw new Failure('invalid', '--role says what the user may do in an organization: give --organization too.')
  }
  const joined = organization === undefined ? undefined : await findOrganization(call, organization)
  const { password, generated } = await newPassword(terminal, options)
  return changeAccounts(call, async accounts => {
    const membership = joined && { organization: joined.id, role }
    const user = await accounts.create({ email, name, password, ...(membership && { membership }) })
    const place = joined && { id: joined.id, slug: joined.slug, role }
    const made = `Made ${user.name} <${user.email}>${place ? `, ${place.role} of ${place.slug}` : ''}.`
    return {
      text: [made, ...shownOnce(generated, password)].join('\n'),
      json: { user, ...(place && { organization: place }), ...(generated && { password }) },
    }
  })
}

/** `parlance server user list`. */
export async function list(call: CommandCall): Promise<OperatorResult> {
  const users = await withAccounts(call, listUsers)
  const rows = users.map(({ email, name, createdAt, organizations }) => [
    email,
    name,
    createdAt.slice(0, 10),
    organizations.map(({ slug, role }) => `${slug} (${role})`).join(', '),
  ])
  const text = rows.length > 0 ? inColumns(['EMAIL', 'NAME', 'SINCE', 'ORGANIZATIONS'], rows) : 'There are no accounts.'
  return { text, json: { users } }
}

/** `parlance server user reset-password`: sets a new password and ends all sessions. */
export async function resetPassword(
  call: CommandCall<Pick<NewUser, 'email' | 'passwordStdin'>>,
): Promise<OperatorResult> {
  const { options, terminal } = call
  // A mistyped folder must not become a new data folder.
  await withAccounts(call, () => {})
  const { password, generated } = await newPassword(terminal, options)
  return changeAccounts(call, async accounts => {
    const { sessionsEnded, ...user } = await accounts.resetPassword(options.email, password)
    const said = `${user.email} has a new password; ${counted(sessionsEnded, 'session')} ended.`
    return {
      text: [said, ...shownOnce(generated, password)].join('\n'),
      json: { user, sessionsEnded, ...(generated && { password }) },
    }
  })
}

/** `parlance server user reset-two-factor`: the password alone signs in again, and all sessions end. */
export async function resetTwoFactor(call: CommandCall<{ email: string }>): Promise<OperatorResult> {
  const { options } = call
  await withAccounts(call, () => {})
  return changeAccounts(call, async accounts => {
    const { sessionsEnded, ...user } = await accounts.resetTwoFactor(options.email)
    return {
      text: `${user.email} has no second factor any more; ${counted(sessionsEnded, 'session')} ended.`,
      json: { user, sessionsEnded },
    }
  })
}

async function changeAccounts<T>(
  { config, report }: Pick<CommandCall, 'config' | 'report'>,
  use: (accounts: Accounts) => Promise<T>,
): Promise<T> {
  // Loaded late: a list does not need it.
  const { Accounts } = await import('../auth/accounts.ts')
  if (config.cluster) {
    return withSharedAccounts(config.cluster, report.log, async engine => use(await Accounts.over(engine)))
  }
  const accounts = await Accounts.open(config.dataDir)
  try {
    return await use(accounts)
  } finally {
    await accounts.close()
  }
}

/**
 * A new password: from standard input or random, never from the command line, which all users see.
 * @throws Failure `invalid` when standard input holds no password, or more than one line
 */
async function newPassword(
  { input }: CommandTerminal,
  options: { passwordStdin?: boolean },
): Promise<{ password: string; generated: boolean }> {
  if (!options.passwordStdin) return { password: randomBytes(18).toString('base64url'), generated: true }
  const password = decode(await buffer(input())).replace(/\r?\n$/, '')
  if (password === '') throw new Failure('invalid', 'No password came on standard input.')
  if (/[\r\n]/.test(password)) throw new Failure('invalid', 'More than one line came on standard input.')
  return { password, generated: false }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('invalid', 'The password on standard input is not UTF-8.')
  }
}
