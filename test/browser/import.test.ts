/** Large imports: each limit has a sentence, and the dashboard responds while files are read. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import type { Page } from 'playwright-core'
import t from 'tap'
import { axe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openScene, type Scene, signedIn } from './scene.ts'

/** The longest block of the main thread in ms; read by `window.longest`. */
const WATCH = `(() => {
  let last = performance.now()
  window.longest = 0
  setInterval(() => {
    const now = performance.now()
    window.longest = Math.max(window.longest, now - last)
    last = now
  }, 10)
})()`

/** What the machine needs for a fixed piece of work now, in ms: the measure of the test. */
const WORK = `(() => {
  const from = performance.now()
  JSON.parse(JSON.stringify(Array.from({ length: 200_000 }, (_, at) => 'text ' + at)))
  return performance.now() - from
})()`

/** Stored: fflate allocates a table for each file that it compresses. */
const zipOf = (files: Record<string, Uint8Array>) => Buffer.from(zipSync(files, { level: 0 }))

const pressed = (files: Record<string, Uint8Array>) => Buffer.from(zipSync(files, { level: 1 }))

t.test('in a browser', { skip: noBrowser }, async t => {
  const scene: Scene = await openScene(t)
  const folder = join(t.testdirName, 'chosen')
  mkdirSync(folder)
  // By a path: Playwright's own upload would block the main thread.
  const drop = (page: Page, name: string, bytes: Uint8Array) => {
    writeFileSync(join(folder, name), bytes)
    return page.locator('input[type=file]').setInputFiles(join(folder, name))
  }
  const text = strToU8('{"a":"b"}')
  const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`de/n${at}.json`, text]))
  const others = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`n${at}.txt`, new Uint8Array()]))
  const large = Buffer.from(JSON.stringify({ a: 'x'.repeat(8 * 2 ** 20) }))
  const half = strToU8(JSON.stringify({ a: 'x'.repeat(7 * 2 ** 20) }))
  const together = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`de/n${at}.json`, half]))

  t.test('each bound has a sentence, found without a freeze', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/import' })
    const cases: [name: string, buffer: Buffer, sentence: string][] = [
      ['many.zip', zipOf(many), 'These are more than 2,000 JSON files'],
      ['others.zip', zipOf(others), 'This holds more than 50,000 files and folders'],
      ['de.json', large, 'de.json is larger than 8 MB'],
      ['large.zip', pressed({ 'de/all.json': large }), 'de/all.json is larger than 8 MB'],
      ['together.zip', pressed(together), 'These are more than 64 MB'],
    ]
    await page.evaluate(WATCH)
    for (const [name, buffer, sentence] of cases) {
      const work = await page.evaluate<number>(WORK)
      await page.evaluate('window.longest = 0')
      await drop(page, name, buffer)
      await page.getByText(sentence).waitFor()
      const longest = await page.evaluate<number>('window.longest')
      t.ok(
        longest < 20 * work,
        `${name}: ${Math.round(longest)} ms without a turn, ${Math.round(longest / work)} x a piece of work`,
      )
    }
    await axe(t, page, 'a bound of the import')
  })

  t.test('plans the maximum number of files of one import', async t => {
    const page = await signedIn(t, scene, { at: '/#/projects/web/import' })
    const most = Object.fromEntries(Object.entries(many).slice(0, 2000))
    await drop(page, 'most.zip', zipOf(most))
    await page.getByRole('button', { name: 'Apply 2,000 changes' }).waitFor()
  })
})
