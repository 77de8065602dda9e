/** A client for the tests: it has cookies and speaks to `auth.handle` with real requests. */
import type { Auth } from '../../src/auth/auth.ts'
import { describeRoutes } from '../../src/http/description/api-document.ts'
import { authOperations } from '../../src/http/description/auth-operations.ts'
import { type ApiDocument, Description } from '../described.ts'

export const HOST = 'parlance.test'
export const PASSWORD = 'correct horse battery'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read all answers of better-auth
  body: any
}

let document: ApiDocument | undefined

function described(): ApiDocument {
  const { paths, components } = describeRoutes(authOperations(true)) as unknown as ApiDocument
  // An error here is an AuthError.
  return { paths, components: { ...components, schemas: { ...components.schemas, Error: false } } }
}

/** See the top of the file. An answer that the OpenAPI document does not describe is thrown. */
export class Visitor {
  readonly #auth: Auth
  readonly #cookies = new Map<string, string>()
  address = '192.0.2.1'
  secure = false

  constructor(auth: Auth) {
    this.#auth = auth
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Goes on as another, on whichever server. */
  takeCookies(other: Visitor): void {
    for (const [name, value] of other.#cookies) this.#cookies.set(name, value)
  }

  get headers(): Headers {
    return new Headers({ cookie: this.cookie })
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const init: RequestInit = { method, headers: { origin: `http://${HOST}`, cookie: this.cookie, ...headers } }
    if (body !== undefined) {
      init.body = typeof body === 'string' ? body : JSON.stringify(body)
      init.headers = { 'content-type': 'application/json', ...init.headers }
    }
    const response = await this.#auth.handle(
      new Request(`http://${HOST}/api/auth${path}`, init),
      this.address,
      this.secure,
    )
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const [name = '', value = ''] = pair.split('=')
      if (/max-age=0/i.test(cookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    const text = await response.text()
    const { status, headers: told } = response
    document ??= described()
    const seen = {
      method,
      path: `/api/auth${path}`,
      status,
      headers: Object.fromEntries(told),
      body: Buffer.from(text),
    }
    const faults = Description.of(document).faults(seen)
    if (faults.length > 0) throw new Error(`${method} ${path} answered ${status} ${text}: ${faults.join('; ')}`)
    return { status, headers: told, body: text === '' ? undefined : JSON.parse(text) }
  }

  get(path: string): Promise<Answer> {
    return this.request('GET', path)
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', path, body, headers)
  }

  signUp(name: string, headers?: Record<string, string>): Promise<Answer> {
    return this.post('/sign-up/email', { name, email: `${name}@example.com`, password: PASSWORD }, headers)
  }

  signIn(name: string, password = PASSWORD): Promise<Answer> {
    return this.post('/sign-in/email', { email: `${name}@example.com`, password })
  }

  /** Creates an organization and returns its id. */
  async found(slug: string): Promise<string> {
    const { body } = await this.post('/organization/create', { name: slug, slug })
    return body.id
  }
}
