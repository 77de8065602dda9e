/** Proxies that the environment names, which Node asks only when told to. */
import { usage } from '../problem.ts'
import type { Environment } from '../surroundings.ts'

/** A proxy, and what names it. */
export interface Proxy {
  variable: string
  url: URL
}

let used = false

/**
 * Makes requests go through `HTTP_PROXY`, `HTTPS_PROXY`, less `NO_PROXY`. Node does by itself with NODE_USE_ENV_PROXY=1.
 * @throws Problem (exit 2) for a value that is no address
 */
export async function useProxies(env: Environment): Promise<void> {
  const proxies = proxiesOf(env)
  if (used || proxies.length === 0 || env.NODE_USE_ENV_PROXY === '1') return
  used = true
  // Late: it alone takes twice as long as all the rest of a start.
  // Since 24.14: https://nodejs.org/api/http.html#httpsetglobalproxyfromenvproxyenv
  const http: { setGlobalProxyFromEnv?(env: Environment): void } = await import('node:http')
  const whole = Object.fromEntries(proxies.map(({ variable, url }) => [variable, url.href]))
  http.setGlobalProxyFromEnv?.({ ...env, ...whole })
}

/** As curl reads them: without a scheme it is http. */
function proxiesOf(env: Environment): Proxy[] {
  const names = Object.keys(env).filter(name => /^https?_proxy$/i.test(name) && env[name])
  return names.map(variable => {
    const value = env[variable]!
    const url = URL.parse(value.includes('://') ? value : `http://${value}`)
    if (url?.hostname) return { variable, url }
    throw usage(`${variable} must be the address of a proxy, such as http://proxy.example.com:8080.`)
  })
}

/** The proxy at which a request failed, and its status where it answered; undefined where it was not for a proxy. */
export function failedProxy(env: Environment, target: URL, error: unknown): (Proxy & { status?: number }) | undefined {
  const proxies = proxiesOf(env)
  const [own] = proxies.filter(({ variable }) => variable.toLowerCase().startsWith(`${target.protocol.slice(0, -1)}_`))
  for (const { port, hostname, statusCode: status } of causesOf(error)) {
    const asked = own ?? proxies[0]
    if (status !== undefined && asked) return { ...asked, status }
    const isElsewhere = (url: URL) => portOf(url) !== portOf(target) && String(port) === portOf(url)
    const dead = proxies.find(({ url }) => isElsewhere(url) || (hostname && hostname === url.hostname))
    if (dead) return dead
  }
  return undefined
}

/** `statusCode` is what a proxy answered that opens no tunnel. */
type Cause = Error & { port?: number; hostname?: string; statusCode?: number }

/** What an error came of; of a name with several addresses the failure of each. */
function causesOf(error: unknown): Cause[] {
  if (!(error instanceof Error)) return []
  return [error, ...(error instanceof AggregateError ? error.errors.flatMap(causesOf) : [])]
}

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80')
