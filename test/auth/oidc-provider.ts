/** A small OpenID provider on loopback, as strict as the standards. A test can spoil its answers. */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Test } from 'tap'
import type { OidcSettings } from '../../src/auth/oidc.ts'

/** What the server is known as at the provider. */
export const CLIENT = { id: 'parlance', secret: 'kept-between-the-two-of-us' }

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** What a test spoils: each is called in place of, or over, what would be right. */
export interface Spoiling {
  claims?: (right: Record<string, unknown>) => Record<string, unknown>
  token?: (right: string) => string | undefined
  key?: KeyObject
  discovery?: (right: Record<string, unknown>) => unknown
  userinfo?: Record<string, unknown>
  status?: number
  hangs?: boolean
  /** Its user does not agree. */
  denies?: boolean
}

export class Provider {
  readonly issuer: string
  /** Who is signed in there. */
  user: Record<string, unknown> = { sub: 'u-1', email: 'ann@example.com', email_verified: true, name: 'Ann of Login' }
  spoiling: Spoiling = {}
  /** The paths that were asked for, in order. */
  readonly asked: string[] = []
  /** Everything that came in a query, header or body of a token request. */
  readonly tokenRequests: { authorization: string | undefined; form: URLSearchParams }[] = []
  readonly #codes = new Map<string, URLSearchParams>()
  readonly #key = newKey()
  readonly #redirectUri: string

  constructor(issuer: string, redirectUri: string) {
    this.issuer = issuer
    this.#redirectUri = redirectUri
  }

  /** What a browser is sent back to when its user agrees. */
  authorize(url: string): string {
    const { searchParams: asked, pathname, origin } = new URL(url)
    if (origin !== this.issuer || pathname !== '/authorize') throw new Error(`no such endpoint: ${url}`)
    const right =
      asked.get('client_id') === CLIENT.id &&
      asked.get('redirect_uri') === this.#redirectUri &&
      asked.get('response_type') === 'code' &&
      asked.get('scope')?.split(' ').includes('openid') &&
      asked.get('code_challenge_method') === 'S256' &&
      (asked.get('state') ?? '').length >= 16 &&
      (asked.get('nonce') ?? '').length >= 16
    if (!right) throw new Error(`a wrong authorization request: ${url}`)
    const code = randomBytes(12).toString('hex')
    this.#codes.set(code, asked)
    const told: Record<string, string> = this.spoiling.denies ? { error: 'access_denied' } : { code }
    return `${this.#redirectUri}?${new URLSearchParams({ ...told, state: asked.get('state')!, iss: this.issuer })}`
  }

  answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { pathname } = new URL(request.url!, this.issuer)
    this.asked.push(pathname)
    if (this.spoiling.hangs) return
    if (pathname === '/authorize') {
      const location = this.authorize(this.issuer + request.url)
      response.writeHead(302, { location }).end()
      return
    }
    const [status, told] = this.spoiling.status ? [this.spoiling.status, {}] : this.#tell(pathname, request, body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(told))
  }

  #tell(path: string, { headers }: IncomingMessage, body: string): [status: number, told: unknown] {
    if (path === '/.well-known/openid-configuration') {
      const right = {
        issuer: this.issuer,
        authorization_endpoint: `${this.issuer}/authorize`,
        token_endpoint: `${this.issuer}/token`,
        userinfo_endpoint: `${this.issuer}/userinfo`,
        jwks_uri: `${this.issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      }
      return [200, this.spoiling.discovery?.(right) ?? right]
    }
    if (path === '/jwks') {
      const { n, e, kty } = createPublicKey(this.#key).export({ format: 'jwk' })
      return [200, { keys: [{ n, e, kty, kid: 'one', use: 'sig', alg: 'RS256' }] }]
    }
    if (path === '/userinfo') return [200, this.spoiling.userinfo ?? this.user]
    return path === '/token' ? this.#token(headers.authorization, new URLSearchParams(body)) : [404, {}]
  }

  #token(authorization: string | undefined, form: URLSearchParams): [status: number, told: unknown] {
    this.tokenRequests.push({ authorization, form })
    if (authorization !== `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`)
      return [401, { error: 'invalid_client' }]
    const asked = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (asked?.get('code_challenge') !== challenge || form.get('redirect_uri') !== this.#redirectUri)
      return [400, { error: 'invalid_grant' }]
    const now = Math.floor(Date.now() / 1000)
    const right = {
      iss: this.issuer,
      aud: CLIENT.id,
      iat: now,
      exp: now + 300,
      nonce: asked.get('nonce'),
      ...this.user,
    }
    const claims = this.spoiling.claims?.(right) ?? right
    const signed = `${text({ alg: 'RS256', typ: 'JWT', kid: 'one' })}.${text(claims)}`
    const signature = sign('RSA-SHA256', Buffer.from(signed), this.spoiling.key ?? this.#key).toString('base64url')
    const token = `${signed}.${signature}`
    const idToken = this.spoiling.token ? this.spoiling.token(token) : token
    return [200, { access_token: 'access-to-nothing', token_type: 'Bearer', expires_in: 300, id_token: idToken }]
  }
}

/** The settings of a server at `baseUrl` for sign-in there. */
export const oidcSettings = ({ issuer }: Provider, baseUrl: string): OidcSettings => ({
  issuer,
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  name: 'Acme Login',
  baseUrl,
})

/** Starts one; it is gone with the test, or when `stop` is called. */
export async function startProvider(
  t: Test,
  redirectUri: string,
): Promise<{ provider: Provider; stop: () => Promise<void> }> {
  let provider: Provider
  const used = new Set<Socket>()
  const server = createServer((request, response) => {
    // As one that closes an idle connection just then.
    if (request.method === 'POST' && used.has(request.socket)) return void request.socket.destroy()
    used.add(request.socket)
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => provider.answer(request, response, Buffer.concat(parts).toString()))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  provider = new Provider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, redirectUri)
  const stop = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  t.teardown(stop)
  return { provider, stop }
}

export const strangersKey = newKey
