/** better-auth with the OpenID provider, started at the first sign-in by it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Actor } from './actor.ts'
import type { BetterAuth } from './better-auth.ts'
import { PROVIDER } from './mount.ts'
import { callbackAnswer, discover, type OidcSettings, providerConfig, silent } from './oidc.ts'
import { Refusal } from './refusal.ts'
import type { JsonBody } from './validate-request.ts'

type Config = ReturnType<typeof providerConfig>

/** A provider may move its endpoints. */
const KNOWN_FOR_MS = 3_600_000
const PATIENCE_MS = 5000
/** A client's members; better-auth would also accept tokens and parameters for the provider. */
const MEMBERS = ['provider', 'callbackURL', 'errorCallbackURL']

export class OidcSignIn {
  readonly #settings
  readonly #start
  #started: Promise<BetterAuth> | undefined
  #since = 0

  constructor(settings: OidcSettings, start: (oidc: Config) => Promise<BetterAuth>) {
    this.#settings = settings
    this.#start = start
  }

  /** @throws Refusal 503 when the provider does not answer */
  betterAuth(): Promise<BetterAuth> {
    if (performance.now() - this.#since > KNOWN_FOR_MS) this.#started = undefined
    this.#since = this.#started ? this.#since : performance.now()
    const started = (this.#started ??= this.#make())
    started.catch(() => {
      if (this.#started === started) this.#started = undefined
    })
    return started
  }

  /** The body of a request that begins a sign-in, with a page to come back to. @throws Refusal 400 */
  beginning(members: JsonBody = {}): JsonBody {
    const odd = Object.keys(members).find(name => !MEMBERS.includes(name))
    if (odd !== undefined) {
      throw new Refusal(
        400,
        'VALIDATION_ERROR',
        `${JSON.stringify(odd)} is not accepted here: ${MEMBERS.join(', ')} are.`,
      )
    }
    if (members.provider !== PROVIDER) throw new Refusal(400, 'VALIDATION_ERROR', `The provider must be "${PROVIDER}".`)
    return { callbackURL: this.#ownPage, ...members }
  }

  /** See {@link callbackAnswer}; the dashboard learns when a second factor is still needed. */
  async answer(response: Response, actor: Actor): Promise<Response> {
    const answer = callbackAnswer(response, actor, this.#settings.name)
    const text = await answer.text()
    const headers = new Headers(answer.headers)
    const location = headers.get('location')
    if (!text.includes('"twoFactorRedirect":true') || location === null) {
      return new Response(text || null, { status: answer.status, headers })
    }
    headers.delete('location')
    if (location === this.#ownPage) return new Response(text, { status: 200, headers })
    headers.set('location', `${location}${location.includes('?') ? '&' : '?'}twoFactorRedirect=true`)
    return new Response(null, { status: 302, headers })
  }

  /** For browsers without a page to come back to: it shows who has signed in. */
  get #ownPage(): string {
    return `${new URL(this.#settings.baseUrl).pathname.replace(/\/$/, '')}/api/auth/get-session`
  }

  async #make(): Promise<BetterAuth> {
    const config = providerConfig(this.#settings, await discover(this.#settings))
    const betterAuth = await this.#start(config)
    const ready = betterAuth.$context.then(({ socialProviders }) => socialProviders.some(({ id }) => id === PROVIDER))
    if (await Promise.race([ready, late()])) return betterAuth
    throw silent(this.#settings.name)
  }
}

/** better-auth asks the provider again, without a time limit. */
const late = () => pause(PATIENCE_MS, false, { ref: false })
