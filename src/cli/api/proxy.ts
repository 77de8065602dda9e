/** Proxies of the environment. Node uses them only on request. */
import { usage } from '../problem.ts'
import type { CliEnvironment } from '../surroundings.ts'

/** A proxy and its variable. */
export interface Proxy {
  variable: string
  url: URL
}

let used = false

/**
 * Sends requests through `HTTP_PROXY` and `HTTPS_PROXY`, except to `NO_PROXY`. NODE_USE_ENV_PROXY=1 does the same.
 * @throws Problem (exit 2) for a value that is no address
 */
export async function useProxies(env: CliEnvironment): Promise<void> {
  const proxies = proxiesOf(env)
  if (used || proxies.length === 0 || env.NODE_USE_ENV_PROXY === '1') return
  used = true
  // Imported late: loading it costs twice the rest of a start.
  // Since 24.14: https://nodejs.org/api/http.html#httpsetglobalproxyfromenvproxyenv
  const http: { setGlobalProxyFromEnv?(env: CliEnvironment): void } = await import('node:http')
  const whole = Object.fromEntries(proxies.map(({ variable, url }) => [variable, url.href]))
  http.setGlobalProxyFromEnv?.({ ...env, ...whole })
}

/** As in curl, an address without a scheme is http. */
function proxiesOf(env: CliEnvironment): Proxy[] {
  const names = Object.keys(env).filter(name => /^https?_proxy$/i.test(name) && env[name])
  return names.map(variable => {
    const value = env[variable]!
    const url = URL.parse(value.includes('://') ? value : `http://${value}`)
    if (url?.hostname) return { variable, url }
    throw usage(`${variable} must be the address of a proxy, such as http://proxy.example.com:8080.`)
  })
}

/** The proxy that caused a failure, and the status of its answer; undefined for another cause. */
export function failedProxy(
  env: CliEnvironment,
  target: URL,
  error: unknown,
): (Proxy & { status?: number }) | undefined {
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

/** `statusCode` is that of a proxy which refused a tunnel. */
type Cause = Error & { port?: number; hostname?: string; statusCode?: number }

/** An error, and for a name with several addresses the error of each. */
function causesOf(error: unknown): Cause[] {
  if (!(error instanceof Error)) return []
  return [error, ...(error instanceof AggregateError ? error.errors.flatMap(causesOf) : [])]
}

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80')
