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

/** The proxy for the scheme of a server. Node uses it unless `NO_PROXY` names the server. */
export const proxyFor = (env: CliEnvironment, { protocol }: URL): Proxy | undefined =>
  proxiesOf(env).find(({ variable }) => variable.toLowerCase().startsWith(`${protocol.slice(0, -1)}_`))
