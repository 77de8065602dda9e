/** The address of backups. Its password is in no output. */
import { createHash } from 'node:crypto'
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../bundle/errors.ts'

/** git's own protocols to a remote. */
type RemoteKind = 'file' | 'ssh' | 'http' | 'https'

/** The placeholder for an organization's id. */
const PLACE = '{organization}'
const FORM =
  'an absolute path, file:///path, ssh://user@host/path, user@host:path or https://host/path, with {organization} in ' +
  'the path'

interface Parts {
  kind: RemoteKind
  template: string
  user?: string
  password?: string
}

/** Why git failed with the remote. */
export interface RemoteFailure {
  reason: 'missing' | 'denied' | 'unreachable' | 'full' | 'damaged' | 'slow' | 'failed'
  /** For the organization's owner: a sentence of ours. */
  sentence: string
  /** For the log: git's own words. */
  words: string
}

/** A git repository for each organization. Its output never has the password. */
export class BackupRemote {
  readonly kind: RemoteKind
  readonly #template: string
  readonly #user: string | undefined
  readonly #password: string | undefined

  private constructor({ kind, template, user, password }: Parts) {
    this.kind = kind
    this.#template = template
    this.#user = user
    this.#password = password
  }

  /**
   * Parses a remote as an operator writes it. @param name for the failure's sentence
   * @throws Failure `invalid`, which does not repeat the text: it may hold a password
   */
  static parse(text: string, name: string): BackupRemote {
    const fail = (sentence: string): never => {
      throw new Failure('invalid', `${name} ${sentence}`)
    }
    if (/[\p{Cc}\p{Cs}]/u.test(text)) fail('must not hold control characters.')
    const parts = parseHttp(text, fail) ?? parseSsh(text, fail) ?? parseFile(text)
    if (parts === undefined) return fail(`must be ${FORM}.`)
    // `{organization}/..` would be one repository for all.
    if (/(^|[/:])\.\.?(\/|$)/.test(parts.template)) fail('must not hold . or .. as a part of its path.')
    if (!parts.template.includes(PLACE)) {
      fail(
        `lacks ${PLACE} in its path: it stands for the id of an organization, so that each has a repository of its own.`,
      )
    }
    return new BackupRemote(parts)
  }

  /** A repository's address for git. */
  address(id: string): string {
    return this.#template.replaceAll(PLACE, id)
  }

  /** The address of all, for people. */
  toString(): string {
    return this.#template
  }

  toJSON(): string {
    return this.#template
  }

  /** The credentials' scheme and host, undefined without credentials. */
  get origin(): string | undefined {
    return this.#password === undefined ? undefined : /^https?:\/\/[^/]+/.exec(this.#template)?.[0]
  }

  /** User name and password on a line each; '' without them. */
  secret(): string {
    return this.#password === undefined ? '' : `${this.#user}\n${this.#password}\n`
  }

  /** Identifies this remote by its address, without the password. */
  get fingerprint(): string {
    return createHash('sha256').update(this.#template).digest('hex')
  }

  /** Removes the password from a text, such as a server's message. */
  redact(text: string): string {
    if (this.#password === undefined) return text
    const pair = `${this.#user}:${this.#password}`
    const shapes = [this.#password, encodeURIComponent(this.#password), Buffer.from(pair).toString('base64')]
    return shapes.reduce((rest, shape) => rest.replaceAll(shape, '***'), text)
  }
}

const HTTP = /^(https?):\/\/(?:([^/?#]*)@)?((?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?)(\/[^?#@\\\s]*)$/i

function parseHttp(text: string, fail: (sentence: string) => never): Parts | undefined {
  if (!/^https?:/i.test(text)) return undefined
  const [, scheme = '', userinfo, host = '', path = ''] = HTTP.exec(text) ?? []
  if (scheme === '') {
    fail(
      `must be ${FORM}; this http address cannot be read (no query, fragment or @ in its path; in a user name or ` +
        'password write / ? # @ and spaces percent-encoded).',
    )
  }
  const kind = scheme.toLowerCase() as 'http' | 'https'
  const template = `${kind}://${host.toLowerCase()}${path}`
  if (userinfo === undefined) return { kind, template }
  const [, user, password] = /^([^:]+):(.+)$/.exec(userinfo) ?? []
  // User names are shown: a token must not pass for one.
  if (!user || !password) return fail('needs both a user name and a password or token, as in https://x:<token>@host/…')
  try {
    const decoded = { user: decodeURIComponent(user), password: decodeURIComponent(password) }
    if (/\p{Cc}/u.test(decoded.user + decoded.password)) fail('must not hold control characters.')
    return { kind, template, ...decoded }
  } catch (error) {
    if (error instanceof Failure) throw error
    return fail('has a user name or password that is not percent-encoded right: write a % as %25.')
  }
}

const SSH_URL =
  /^ssh:\/\/(?:([^/?#]*)@)?((?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?)(\/[^?#\\\s]*)$/i
const SCP = /^([A-Za-z0-9._][A-Za-z0-9._-]*)@([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):([^:\\\s][^\\\s]*)$/

function parseSsh(text: string, fail: (sentence: string) => never): Parts | undefined {
  if (SCP.test(text)) return { kind: 'ssh', template: text }
  if (!/^ssh:/i.test(text)) return undefined
  const [, user, host = '', path] = SSH_URL.exec(text) ?? []
  if (path === undefined) return fail(`must be ${FORM}; this ssh address cannot be read.`)
  if (user?.includes(':')) fail('must not hold a password for ssh, which reads none from a program: use a key.')
  if (user !== undefined && !/^[A-Za-z0-9._][A-Za-z0-9._-]*$/.test(user)) fail('has an odd user name for ssh.')
  return { kind: 'ssh', template: `ssh://${user === undefined ? '' : `${user}@`}${host}${path}` }
}

function parseFile(text: string): Parts | undefined {
  if (isAbsolute(text)) return { kind: 'file', template: resolve(text) }
  if (!/^file:\/\/(localhost)?\//i.test(text)) return undefined
  try {
    return { kind: 'file', template: resolve(fileURLToPath(text.replace(/^file:\/\/localhost/i, 'file://'))) }
  } catch {
    return undefined
  }
}
