/**
 * Firefox as distributions have it, by WebDriver BiDi (w3c.github.io/webdriver-bidi): Playwright drives only builds of
 * its own, and asks others for commands that they do not know.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** As much of a page as tests of both browsers need. */
export interface BrowserPage {
  /** Evaluates an expression in the browser; its value must be JSON. */
  evaluate<T>(expression: string): Promise<T>
  click(selector: string): Promise<void>
  /** Types a text, key by key. */
  type(text: string): Promise<void>
  /** Presses a key, as Playwright names it: `Control+a`. */
  press(keys: string): Promise<void>
}

/** WebDriver's code points of keys that write nothing. */
const KEYS: Record<string, string> = {
  Control: '\ue009',
  Shift: '\ue008',
  Alt: '\ue00a',
  Enter: '\ue007',
  Backspace: '\ue003',
  Delete: '\ue017',
  ArrowLeft: '\ue012',
  ArrowRight: '\ue014',
  Home: '\ue011',
  End: '\ue010',
}

/** No request leaves this machine: all others go to a proxy that does not exist. */
const PREFERENCES = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  'network.proxy.no_proxies_on': '127.0.0.1',
  'app.update.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
}

// biome-ignore lint/suspicious/noExplicitAny: each command has its own
type Result = any

/** A running Firefox with one page. */
export class Firefox implements BrowserPage {
  readonly #process: ChildProcess
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, { resolve: (result: Result) => void; reject: (error: Error) => void }>()
  #context = ''
  #asked = 0

  private constructor(process: ChildProcess, socket: WebSocket) {
    this.#process = process
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, type, result, error, message } = JSON.parse(String(data))
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (type === 'error') waiting?.reject(new Error(`${error}: ${message}`))
      else waiting?.resolve(result)
    })
  }

  /** @param profile an empty folder */
  static async start(executable: string, profile: string): Promise<Firefox> {
    const prefs = Object.entries(PREFERENCES).map(
      each => `user_pref(${each.map(one => JSON.stringify(one)).join(', ')})`,
    )
    writeFileSync(join(profile, 'user.js'), prefs.join(';\n'))
    const args = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile]
    const process = spawn(executable, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let url: string | undefined
    for await (const line of createInterface(process.stderr!)) {
      url = /^WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1]
      if (url !== undefined) break
    }
    if (url === undefined) throw new Error('Firefox ended before it listened.')
    process.stderr!.resume()
    const socket = new WebSocket(`${url}/session`)
    await once(socket, 'open')
    const firefox = new Firefox(process, socket)
    await firefox.#send('session.new', { capabilities: {} })
    const { contexts } = await firefox.#send('browsingContext.getTree', {})
    firefox.#context = contexts[0].context
    return firefox
  }

  async close(): Promise<void> {
    const over = once(this.#process, 'exit')
    await this.#send('browser.close', {}).catch(() => this.#process.kill('SIGKILL'))
    await over
  }

  /** Signs in by these cookies and opens a page. */
  async open(url: string, cookies: Iterable<[name: string, value: string]>): Promise<void> {
    for (const [name, value] of cookies) {
      const cookie = { name, value: { type: 'string', value }, domain: new URL(url).hostname }
      await this.#send('storage.setCookie', { cookie })
    }
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' })
  }

  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#send('script.evaluate', {
      expression: `Promise.resolve(${expression}).then(value => JSON.stringify(value) ?? 'null')`,
      target: { context: this.#context },
      awaitPromise: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.text)
    return JSON.parse(result.value)
  }

  async click(selector: string): Promise<void> {
    const [x, y] = await this.evaluate<[number, number]>(
      `(() => { const element = document.querySelector(${JSON.stringify(selector)}); element.scrollIntoView({ block: 'center' }); ` +
        'const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round) })()',
    )
    const actions = [
      { type: 'pointerMove', x, y },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    await this.#act({ type: 'pointer', id: 'mouse', actions })
  }

  async type(text: string): Promise<void> {
    const actions = [...text].flatMap(value => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ])
    await this.#act({ type: 'key', id: 'keyboard', actions })
  }

  async press(keys: string): Promise<void> {
    const values = keys.split('+').map(key => KEYS[key] ?? key)
    const down = values.map(value => ({ type: 'keyDown', value }))
    const up = values.toReversed().map(value => ({ type: 'keyUp', value }))
    await this.#act({ type: 'key', id: 'keyboard', actions: [...down, ...up] })
  }

  async #act(source: object): Promise<void> {
    await this.#send('input.performActions', { context: this.#context, actions: [source] })
  }

  #send(method: string, params: object): Promise<Result> {
    const id = ++this.#asked
    this.#socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }
}
