/** Proxies that the environment names, which Node's fetch asks only when told to. */
import http from 'node:http'
import type { Environment } from '../surroundings.ts'

let used = false

/** Makes fetch go through `HTTP_PROXY`, `HTTPS_PROXY`, less `NO_PROXY`. Node does by itself with NODE_USE_ENV_PROXY=1. */
export function useProxies(env: Environment): void {
  if (used || !Object.keys(env).some(name => /^https?_proxy$/i.test(name) && env[name])) return
  used = true
  // Since 24.14: https://nodejs.org/api/http.html#httpsetglobalproxyfromenvproxyenv
  const { setGlobalProxyFromEnv } = http as { setGlobalProxyFromEnv?(env: Environment): void }
  if (env.NODE_USE_ENV_PROXY !== '1') setGlobalProxyFromEnv?.(env)
}
