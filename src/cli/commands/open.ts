/** `parlance open`: opens a key, a namespace or the project in the dashboard. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { platform } from 'node:os'
import { keyOf, readManifest } from '../api/key-name.ts'
import { useProxies } from '../api/proxy.ts'
import { request } from '../api/request.ts'
import type { Context, Run } from '../context.ts'

interface Options {
  language?: string
  namespace?: string
  print?: boolean
}

/**
 * The address is `<server>/#/projects/<slug>/<language>/<namespace>?key=<key>`; missing parts are left out from the
 * right.
 * The language is the source language by default. Without a dashboard it starts no browser, and says so on standard
 * error.
 *
 * With `--json`: `{ url, page, opened }`: whether the server has a dashboard, and whether a browser was started.
 */
export const run: Run<Options> = async (context, { language, namespace, print }, [operand]) => {
  const [api, project, manifest] = [await context.api(), await context.project(), await readManifest(context)]
  const part =
    operand === undefined ? { namespace, key: undefined } : await keyOf(context, operand, namespace, manifest)
  const shown = language ?? (part.namespace === undefined ? undefined : manifest.sourceLanguage)
  const path = ['projects', project, shown, part.namespace].filter(one => one !== undefined).map(encodeURIComponent)
  const query = part.key === undefined ? '' : `?key=${encodeURIComponent(part.key)}`
  const url = `${api.url.href}#/${path.join('/')}${query}`
  const page = await hasPage(context, api.url)
  const opened = page && !print && context.terminal.interactive && (await startBrowser(context, url))
  await context.print({ url, page, opened }, () => url)
  if (!page) await context.err('This server has no dashboard: nothing answers there yet.\n')
}

/** ExportQuery without the token: pages are for people, who sign in, maybe somewhere else. */
async function hasPage({ env, send = request, stop }: Context, url: URL): Promise<boolean> {
  await useProxies(env)
  const answer = await send(url, { headers: { accept: 'text/html' }, signal: stop }).catch(() => undefined)
  answer?.body.resume()
  const { status = 0, headers } = answer ?? {}
  return status < 300 ? /^text\/html\b/.test(headers?.['content-type'] ?? '') : status < 400
}

/** Programs that open an address, by operating system. `BROWSER` wins. */
const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** @returns whether a browser was started */
function startBrowser({ env }: Context, url: string): Promise<boolean> {
  const isGraphical = env.DISPLAY || env.WAYLAND_DISPLAY || platform() in OPENERS
  if (!env.BROWSER && !isGraphical) return Promise.resolve(false)
  const [command = '', ...words] = env.BROWSER ? [env.BROWSER] : (OPENERS[platform()] ?? ['xdg-open'])
  const child = spawn(command, [...words, url], { stdio: 'ignore', detached: true })
  const started = () => {
    child.unref()
    return true
  }
  return once(child, 'spawn').then(started, () => false)
}
