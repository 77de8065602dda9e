/** The links of the guides work in the repository and on the server. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { GUIDES } from '../../../src/http/description/guides.ts'
import { startServer } from '../../contract/server.ts'

const root = join(import.meta.dirname, '../../..')
const STORIES = 'test/cli/stories'
/** The file of each guide, and its path on the server. */
const pages = [
  ...Object.keys(GUIDES).map(name => ({ file: `docs/${name}.md`, path: `/api/docs/guides/${name}.md` })),
  ...readdirSync(join(root, STORIES)).map(name => ({
    file: `${STORIES}/${name}`,
    path: `/api/docs/guides/stories/${name}`,
  })),
]

/** Links outside code. */
const linksOf = (text: string) =>
  Array.from(text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target).filter(
    target => !/^https?:/.test(target),
  )

/** Whether a page has a heading of that anchor, as GitHub names it. */
function hasAnchor(text: string, anchor: string): boolean {
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)
  return Array.from(headings, ([, words = '']) =>
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  ).includes(anchor)
}

t.test('links of the guides lead to existing files and headings in the repository', async t => {
  for (const { file } of pages) {
    for (const link of linksOf(readFileSync(join(root, file), 'utf8'))) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? join(root, file) : join(root, dirname(file), path)
      if (!t.ok(existsSync(target), `${file}: ${link}`) || anchor === undefined) continue
      t.ok(hasAnchor(readFileSync(target, 'utf8'), anchor), `${file}: ${link} is a heading`)
    }
  }
})

t.test('links of the guides lead to existing guides and headings on the server', async t => {
  const server = await startServer(t)
  const texts = new Map<string, string>()
  for (const { path } of pages) {
    const { status, text } = await server.get(path)
    t.equal(status, 200, path)
    texts.set(path, text)
  }
  let links = 0
  for (const [path, text] of texts) {
    for (const link of linksOf(text)) {
      const { pathname, hash } = new URL(link, server.base + path)
      const target = texts.get(pathname)
      links++
      if (!t.ok(target !== undefined, `${path}: ${link}`) || hash === '') continue
      t.ok(hasAnchor(target!, hash.slice(1)), `${path}: ${link} is a heading`)
    }
  }
  t.ok(links > 40, `${links} links`)
  const led = linksOf(texts.get('/api/docs/guides/cli.md')!).filter(link => link.startsWith('stories/'))
  t.equal(led.length, pages.filter(({ file }) => file.startsWith(STORIES)).length, 'each story is one of the guide')
  t.match(
    texts.get('/api/docs/guides/operating.md'),
    /^(?!.*\]\(nginx\.conf\)).*nginx\.conf/m,
    'the words of a dropped link stay',
  )
})
