/** Proxies that the environment names, which Node's fetch asks only when told to. */
import type { Environment } from '../surroundings.ts'

let used = false

/** Makes fetch go through `HTTP_PROXY`, `HTTPS_PROXY`, less `NO_PROXY`. Node does by itself with NODE_USE_ENV_PROXY=1. */
export async function useProxies(env: Environment): Promise<void> {
  const isNamed = Object.keys(env).some(name => /^https?_proxy$/i.test(name) && env[name])
  if (used || !isNamed || env.NODE_USE_ENV_PROXY === '1') return
  used = true
  // Late: it alone takes twice as long as all the rest of a start.
  // Since 24.14: https://nodejs.org/api/http.html#httpsetglobalproxyfromenvproxyenv
  const http: { setGlobalProxyFromEnv?(env: Environment): void } = await import('node:http')
  http.setGlobalProxyFromEnv?.(env)
}
