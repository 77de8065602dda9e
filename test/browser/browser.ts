/**
 * A real browser before a real server. Each page has a context of its own. A page fails its test on console
 * errors, violations of the content security policy, and requests that leave this machine.
 */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import t, { type Test } from 'tap'
import { start } from '../contract/process.ts'
import { dataFolder, eventually, type Server, type Session } from '../contract/server.ts'
import { LOOKS, type Look } from './looks.ts'

const path = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Why tests are skipped, false where they can run. */
export const noBrowser = existsSync(path) ? false : `there is no browser at ${path}: CHROMIUM names another`

/** For what comes within a second on a machine that has nothing else to do. */
const PATIENCE_MS = 60_000

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The request itself reveals a lookup of other names.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

let launched: Promise<Browser> | undefined

/** The browser of this file, started when first asked for. */
export function browser(): Promise<Browser> {
  if (launched === undefined) {
    launched = chromium.launch({ executablePath: path, headless: true, args: FLAGS })
    t.teardown(async () => (await launched)?.close())
  }
  return launched
}

/** A built server over a new data folder, as a process of its own. It is killed when `t` ends. */
export async function startBuilt(t: Test, env: Record<string, string> = {}): Promise<Server> {
  return (await start(t, dataFolder(t), env)).server
}

/** How a page is opened. */
export interface Opening {
  /** The session for its cookies. */
  as?: Session | undefined
  /** A name of {@link LOOKS}. */
  look?: Look
  /** The address below the server, such as `/#/projects`. */
  at?: string
  /** Intercepts responses. */
  counted?: Counted
  /** Faults that the test brings about itself, each by what its line says. */
  expected?: RegExp[]
}

const faultsOf = new WeakMap<BrowserContext, { faults: string[]; expected: RegExp[] }>()

/**
 * Opens a page and waits for its heading: a stream of events goes on for ever, so no page is ever idle. Its test
 * fails when it ends, if anything was wrong.
 */
export async function openPage(t: Test, server: Pick<Server, 'base'>, opening: Opening = {}): Promise<Page> {
  const { as, look = 'light', at = '/', counted, expected = [] } = opening
  const context = await (await browser()).newContext({ ...LOOKS[look], reducedMotion: 'reduce' })
  if (as) await context.addCookies([...as.cookies].map(([name, value]) => ({ name, value, url: server.base })))
  context.setDefaultTimeout(PATIENCE_MS)
  const noted = { faults: [], expected: [...expected] }
  faultsOf.set(context, noted)
  watch(context, server.base, noted.faults)
  counted?.watch(context)
  t.teardown(async () => {
    await context.close()
    const faults = unexpected(noted)
    if (faults.length > 0) throw new Error(`what the browser complained of:\n${faults.join('\n')}`)
  })
  const page = await context.newPage()
  await page.goto(server.base + at)
  await page.locator('h1').first().waitFor()
  return page
}

/** What went wrong in a page's context so far. @param all with what was expected */
export function faultsIn(page: Page, all = false): string[] {
  const noted = faultsOf.get(page.context())!
  return all ? noted.faults : unexpected(noted)
}

/** From now on a test that brings about faults itself says so. */
export function expectFaults(page: Page, ...lines: RegExp[]): void {
  faultsOf.get(page.context())!.expected.push(...lines)
}

const unexpected = ({ faults, expected }: { faults: string[]; expected: RegExp[] }) =>
  faults.filter(fault => !expected.some(line => line.test(fault)))

function watch(context: BrowserContext, base: string, faults: string[]): void {
  const isOwn = (url: string) => url.startsWith(`${base}/`)
  context.on('console', message => {
    const { url } = message.location()
    // A failed answer of the API is part of the test, not a fault of the console.
    if (message.text().startsWith('Failed to load resource') && isOwn(url) && url.startsWith(`${base}/api/`)) return
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${url})`)
  })
  context.on('weberror', thrown => void faults.push(`thrown: ${thrown.error().stack}`))
  context.on('request', request => {
    if (!isOwn(request.url()) && !/^(data|blob|about):/.test(request.url())) faults.push(`asks for ${request.url()}`)
  })
  context.on('response', response => {
    if (response.status() >= 500) faults.push(`${response.request().method()} ${response.url()}: ${response.status()}`)
  })
}

/** The bytes that pages load, from {@link countBytes}. */
export interface Counted {
  watch(context: BrowserContext): void
  /** When nothing but streams of events is awaited: bytes of bodies as they were sent. */
  total(): Promise<{ bytes: number; files: string[] }>
}

/** See {@link Counted}. */
export function countBytes(): Counted {
  const requests: Request[] = []
  const open = new Set<Request>()
  return {
    watch(context) {
      // What is loaded ahead once the browser is idle is no part of it.
      void context.addInitScript('requestIdleCallback = () => 0')
      context.on('request', request => void (/\/events(\?|$)/.test(request.url()) || open.add(request)))
      context.on('requestfailed', request => void open.delete(request))
      context.on('requestfinished', request => {
        open.delete(request)
        requests.push(request)
      })
    },
    async total() {
      if (!(await eventually(() => open.size === 0)))
        throw new Error(`not loaded: ${[...open].map(each => each.url())}`)
      const sizes = await Promise.all(requests.map(request => request.sizes()))
      const files = requests.map((request, i) => `${sizes[i]!.responseBodySize} ${new URL(request.url()).pathname}`)
      return { bytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0), files }
    },
  }
}
