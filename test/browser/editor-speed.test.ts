/**
 * The editor over 10,000 keys of one to four lines. Counts are equal on every machine: rows, layouts a frame,
 * rendered components a letter and a save, requests. Processor time is compared with a plain list of the same texts.
 * Wall-clock times are printed for docs/benchmarks.md. `EDITS=1000` runs an hour's work and prints the time to the
 * first letter. It needs a process of its own.
 */
import type { CDPSession, Locator, Page } from 'playwright-core'
import t from 'tap'
import { noBrowser } from './browser.ts'
import { countDrawn, drawnSince } from './drawn.ts'
import { openScene, signedIn } from './scene.ts'

const KEYS = 10_000
const EDITS = Number(process.env.EDITS ?? 20)
/** Saved in a row, by who does not wait for any. */
const ROW = 20
const FRAMES = 60
/** The slowdown from this machine to a translator's. */
const SLOWED = 4
/** Components: those of the row that is left and of the one that is entered, of the toolbar, and of the panel. */
const MOST_DRAWN = 380
/** A usual connection: ms there and back, bytes a second. */
const NETWORK = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 }

const textsOf = (language: string) =>
  Array.from({ length: KEYS }, (_, at): [string, string] => [
    `group${Math.floor(at / 100)}.text${at}`,
    `${language} ${at}: ${'some words of {{name}} '.repeat(1 + (at % 7))}`,
  ])

/** Of a frame: wall-clock ms, the median and the 95th of {@link FRAMES}; ms of processor time; layouts. */
interface Frames {
  median: number
  slow: number
  cost: number
  layouts: number
}

const of = (times: number[], share: number) => times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))]!

/** A DevTools session with a slowed-down processor. */
async function toolsOf(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  return cdp
}

async function usedBy(cdp: CDPSession) {
  const { metrics } = await cdp.send('Performance.getMetrics')
  const value = (wanted: string) => metrics.find(({ name }) => name === wanted)!.value
  return { cost: 1000 * value('TaskDuration'), layouts: value('LayoutCount') }
}

/** Scrolls what can be scrolled by 400 px a frame. */
async function scrolled(page: Page, cdp: CDPSession): Promise<Frames> {
  const before = await usedBy(cdp)
  const times = await page.evaluate<number[]>(`new Promise(done => {
    const element = [...document.querySelectorAll('*')].find(one =>
      one.scrollHeight > one.clientHeight + 1000 && getComputedStyle(one).overflowY === 'auto')
    const times = []
    let last
    const step = now => {
      if (last !== undefined) times.push(now - last)
      last = now
      element.scrollTop += 400
      if (times.length < ${FRAMES}) requestAnimationFrame(step)
      else done(times)
    }
    requestAnimationFrame(step)
  })`)
  const after = await usedBy(cdp)
  return {
    median: of(times, 0.5),
    slow: of(times, 0.95),
    cost: (after.cost - before.cost) / FRAMES,
    layouts: (after.layouts - before.layouts) / FRAMES,
  }
}

/** A page of nothing, and one that draws five lines of three columns a frame, as many as the editor must. */
const NOTHING = '<div style="height: 1000000px"></div>'
const BY_HAND = `<style>
  .line { display: grid; grid-template-columns: 1fr 2fr 2fr; border-block-end: 1px solid; }
  .line > * { padding: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
</style><div id="lines" style="height: 1000000px; box-sizing: border-box"></div>`
const DRAWS = `
  const lines = document.querySelector('#lines')
  const scroller = lines.parentElement
  let next = 0
  const draw = () => {
    const words = 'some words of <code>{{name}}</code> '.repeat(1 + (next % 7))
    const line = document.createElement('div')
    line.className = 'line'
    line.innerHTML = '<code>group' + next + '</code><span>' + words + '</span><span>' + words + '</span>'
    lines.append(line)
    next++
  }
  for (let at = 0; at < 22; at++) draw()
  scroller.addEventListener('scroll', () => {
    for (let at = 0; at < 5; at++) {
      lines.firstElementChild.remove()
      draw()
    }
    lines.style.paddingBlockStart = scroller.scrollTop + 'px'
  })
`

async function scrolledBeside(page: Page, html: string, script = ''): Promise<Frames> {
  const plain = await page.context().newPage()
  await plain.setContent(`<div style="height: 700px; overflow: auto">${html}</div>`)
  await plain.evaluate(script)
  const frames = await scrolled(plain, await toolsOf(plain))
  await plain.close()
  await page.bringToFront()
  return frames
}

/** Scrolls up by 300 px a frame, over rows that were never drawn: what is wrong with what is seen, a line each. */
const FAULTS = `(new Promise(done => {
  const grid = document.querySelector('[role=grid]')
  const scroller = grid.parentElement
  const faults = []
  let frames = 0
  let before
  const step = () => {
    const { top, bottom } = scroller.getBoundingClientRect()
    const seen = [...grid.lastElementChild.children].filter(line => {
      const box = line.getBoundingClientRect()
      return box.bottom > top && box.top < bottom
    })
    const topOf = line => line.getBoundingClientRect().top
    if (!seen[0] || topOf(seen[0]) > top + 50 || seen.at(-1).getBoundingClientRect().bottom < bottom) faults.push('blank')
    if (before && Math.abs(topOf(before.line) - before.top - 300) > 1) {
      faults.push('moved by ' + (topOf(before.line) - before.top))
    }
    const line = seen[Math.floor(seen.length / 2)]
    before = line && { line, top: topOf(line) }
    scroller.scrollTop -= 300
    if (++frames < 40) requestAnimationFrame(step)
    else done(faults)
  }
  setTimeout(step, 300)
}))`

const heap = async (cdp: CDPSession) => {
  await cdp.send('HeapProfiler.collectGarbage')
  return (await cdp.send('Runtime.getHeapUsage')).usedSize / 2 ** 20
}

t.test('10,000 keys', { skip: noBrowser }, async t => {
  const scene = await openScene(t)
  const { server, acme } = scene
  const large = await server.project(acme.key, 'large')
  for (const language of ['en', 'de']) {
    const body = Object.fromEntries(textsOf(language))
    await server.must('PUT', `${large}/bundles/${language}/common`, { key: acme.key, body })
  }
  const page = await signedIn(t, scene, { at: '/#/projects' })
  page.context().setDefaultTimeout(40_000)
  await countDrawn(page)
  const cdp = await toolsOf(page)
  const go = (to: string) => page.evaluate(`location.hash = '#/projects/large${to}'`)
  const fieldOf = (key: string) => page.locator(`[aria-label^="${key}"]:focus`)
  const open = async (at: number) => {
    const key = `group${Math.floor(at / 100)}.text${at}`
    await go(`/de/common?key=${key}`)
    await fieldOf(key).waitFor()
  }

  await t.test('scrolled', async t => {
    await go('/de')
    await page.getByRole('row').nth(5).waitFor()
    const nothing = await scrolledBeside(page, NOTHING)
    const byHand = await scrolledBeside(page, BY_HAND, DRAWS)
    await drawnSince(page)
    const editor = await scrolled(page, cdp)
    const anew = (await drawnSince(page)).anew / FRAMES
    t.comment(JSON.stringify({ slowed: SLOWED, editor, byHand, nothing }))
    t.ok((await page.getByRole('row').count()) < 60, 'what is seen is drawn, with some rows around it')
    t.ok(anew > 5 && anew < 40, `components that are new in a frame: ${anew}`)
    t.ok(editor.layouts < 0.6, `most frames lay out nothing: ${editor.layouts} a frame`)
    t.ok(editor.cost < 4 * byHand.cost, `${(editor.cost / byHand.cost).toFixed(1)} times a list drawn by hand`)
  })

  await t.test('nothing is blank, and nothing that is read moves, above a row that the address names', async t => {
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    await open(5000)
    t.strictSame(await page.evaluate<string[]>(FAULTS), [])
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  })

  await t.test('a letter', async t => {
    await open(300)
    await page.evaluate(`
      window.inputs = []
      addEventListener('keydown', event => {
        const from = event.timeStamp
        requestAnimationFrame(() => setTimeout(() => window.inputs.push(performance.now() - from)))
      }, true)
    `)
    const words = 'the quick brown fox'.split('')
    const type = async () => {
      for (const letter of words) await page.keyboard.press(letter === ' ' ? 'Space' : letter)
    }
    await type()
    await drawnSince(page)
    await type()
    const { again, anew } = await drawnSince(page)
    t.comment(`a key until its paint: ${of(await page.evaluate<number[]>('inputs'), 0.5).toFixed(0)} ms`)
    t.comment(`rendered for a letter: ${(again / words.length).toFixed(1)} again, ${anew / words.length} new`)
    // With the panel's preview, and the number of unsaved texts in the header.
    t.ok(again / words.length < 24, 'the row that is written in is drawn, and no other')
  })

  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  let requests: string[] = []
  page.on('request', request => /\/api\//.test(request.url()) && requests.push(request.method()))
  const edit = async (times: number) => {
    for (let at = 0; at < times; at++) {
      await page.keyboard.press('End')
      await page.keyboard.type('x')
      await page.keyboard.press('Control+Enter')
    }
    await page.getByText('Saving …').first().waitFor({ state: 'detached' })
  }

  await t.test('saved, and on to the next', async t => {
    await edit(3)
    requests = []
    const from = performance.now()
    await edit(ROW)
    const ms = performance.now() - from
    const reads = requests.filter(method => method === 'GET').length
    t.comment(`${ROW} edits typed and saved within ${ms.toFixed(0)} ms; ${reads} reads beside them`)
    t.equal(requests.filter(method => method === 'PUT').length, ROW)
    const expected = 2 * ROW + 5 * (1 + ms / 3000)
    t.ok(reads <= expected, `the last changes of each row, and numbers once in a while: ${reads} reads`)
    const draws: number[] = []
    for (let at = 0; at < ROW / 2; at++) {
      await drawnSince(page)
      await edit(1)
      draws.push((await drawnSince(page)).again)
    }
    // Some of them refetch counts.
    const usual = of(draws, 0.5)
    t.ok(usual < MOST_DRAWN, `drawn for an edit: ${usual}; rows that are not saved are not (${draws.join(' ')})`)
  })

  await t.test('what work leaves in memory', async t => {
    const round = async (done: number) => {
      await edit(ROW)
      const body = { value: `${done} by another user` }
      await server.must('PUT', `${large}/bundles/de/common/group90.text${9000 + done}`, { key: acme.key, body })
      await go(`/de/common?q=text${9000 + done}`)
      await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
      // From another page too the focus goes into the field.
      await go('')
      await open(400 + 2 * done)
    }
    await round(0)
    const before = await heap(cdp)
    const from = performance.now()
    for (let done = ROW; done <= EDITS; done += ROW) await round(done)
    const after = await heap(cdp)
    const ms = performance.now() - from
    t.comment(`${before.toFixed(1)} MiB, after ${EDITS} edits ${after.toFixed(1)} MiB; ${ms.toFixed(0)} ms`)
    t.ok(after < 1.5 * before, 'work leaves little behind')
  })

  await t.test(
    'until one can begin, by a usual connection',
    { skip: !process.env.EDITS && 'EDITS=1000 runs it' },
    async t => {
      await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
      await cdp.send('Network.enable')
      await cdp.send('Network.emulateNetworkConditions', NETWORK)
      const visited = async (at: string, what: Locator) => {
        await page.goto('about:blank')
        const from = performance.now()
        await page.goto(server.base + at)
        await what.waitFor()
        return Math.round(performance.now() - from)
      }
      const projects = page.getByRole('link', { name: 'large' }).first()
      const field = fieldOf('group3.text300')
      await cdp.send('Network.clearBrowserCache')
      const first = await visited('/#/projects', projects)
      const again = await visited('/#/projects', projects)
      const editor = await visited('/#/projects/large/de/common?key=group3.text300', field)
      t.comment(`projects, first visit ${first} ms, again ${again} ms; editor, until one can type ${editor} ms`)
      t.equal(await field.count(), 1)
    },
  )
})
