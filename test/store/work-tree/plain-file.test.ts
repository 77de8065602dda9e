import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { blobId } from '../../../src/bundle/canonical.ts'
import { MAX_FILE } from '../../../src/bundle/file-size.ts'
import { lookAtFile, readContent, stampNow } from '../../../src/store/work-tree/plain-file.ts'
import { WorkTreeWriter } from '../../../src/store/work-tree/work-tree-writer.ts'

const PATH = 'web/locales/en/common.json'
const id = (text: string) => blobId(Buffer.from(text))

async function open(t: Test, text?: string) {
  const root = t.testdir({ tmp: {}, tree: {} })
  const tree = join(root, 'tree')
  const at = join(tree, PATH)
  fs.mkdirSync(dirname(at), { recursive: true })
  if (text !== undefined) fs.writeFileSync(at, text)
  const shelf = new WorkTreeWriter(tree, join(root, 'tmp'))
  await shelf.prepare()
  return {
    root,
    tree,
    at,
    shelf,
    replace: async (next: string, known: (found: string | null) => boolean, path = PATH) =>
      shelf.put(path, await shelf.stage(Buffer.from(next)), known),
    file: () => fs.readFileSync(at, 'utf8'),
    leftOver: () => fs.readdirSync(join(root, 'tmp')),
  }
}

t.test('what stands at a path', async t => {
  const { tree, at } = await open(t, 'old')
  t.match(await lookAtFile(tree, PATH), { state: 'file', stamp: stampNow(tree, PATH) })
  t.match(await readContent(tree, PATH), { state: 'content', id: id('old'), bytes: Buffer.from('old') })
  t.same(await lookAtFile(tree, 'web/none.json'), { state: 'missing' })
  t.same(await lookAtFile(tree, 'web/none/none.json'), { state: 'missing' })
  t.equal(stampNow(tree, 'web/none.json'), 'missing')
  fs.truncateSync(at, MAX_FILE)
  t.match(await lookAtFile(tree, PATH), { state: 'file' })
  fs.truncateSync(at, MAX_FILE + 1)
  t.match(await readContent(tree, PATH), { state: 'foreign', error: String(MAX_FILE) })
})

t.test('a link, a FIFO or a folder in the way is neither read nor replaced nor removed', async t => {
  const { root, tree, at, shelf, replace } = await open(t)
  fs.writeFileSync(join(root, 'secret'), 'secret')
  const obstacles: Record<string, () => void> = {
    link: () => fs.symlinkSync(join(root, 'secret'), at),
    'link to nowhere': () => fs.symlinkSync(join(root, 'nowhere'), at),
    FIFO: () => void execFileSync('mkfifo', [at]),
    folder: () => fs.mkdirSync(at),
  }
  for (const [what, make] of Object.entries(obstacles)) {
    make()
    const before = fs.lstatSync(at).ino
    t.match(await readContent(tree, PATH), { state: 'foreign', error: 'not a plain file' }, what)
    t.same(await replace('new', () => true), { done: false }, what)
    t.same(
      shelf.remove(PATH, () => true),
      { done: false },
      what,
    )
    t.equal(fs.lstatSync(at).ino, before, `the ${what} is still there`)
    fs.rmSync(at, { recursive: true })
  }
  t.equal(fs.readFileSync(join(root, 'secret'), 'utf8'), 'secret')
  t.notOk(fs.existsSync(join(root, 'nowhere')))
})

t.test('a linked folder above: nothing is read, written or removed through it', async t => {
  const { root, tree, shelf, replace } = await open(t)
  fs.mkdirSync(join(root, 'elsewhere'))
  fs.writeFileSync(join(root, 'elsewhere', 'common.json'), '{}')
  fs.symlinkSync(join(root, 'elsewhere'), join(tree, 'web/locales/de'))
  const linked = 'web/locales/de/common.json'
  t.match(await readContent(tree, linked), { state: 'foreign', error: 'web/locales/de' })
  t.same(await replace('new', () => true, linked), { done: false })
  t.same(await replace('new', () => true, 'web/locales/de/deep/x.json'), { done: false })
  t.same(
    shelf.remove(linked, () => true),
    { done: false },
  )
  t.same(fs.readdirSync(join(root, 'elsewhere')), ['common.json'])
  t.equal(fs.readFileSync(join(root, 'elsewhere', 'common.json'), 'utf8'), '{}')
})

t.test('replaces what is known, creates folders, returns its stamp, leaves nothing behind', async t => {
  const { tree, shelf, replace, file, leftOver } = await open(t, 'old')
  t.same(await replace('new', found => found === id('old')), { done: true, stamp: stampNow(tree, PATH) })
  t.equal(file(), 'new')
  t.same(await replace('newer', found => found === id('old')), { done: false })
  t.equal(file(), 'new')
  const other = 'app/locales/de/home.json'
  t.match(await replace('home', found => found === null, other), { done: true })
  t.same(await replace('x', () => false, 'app/none.json'), { done: false })
  t.same(leftOver(), [])
  t.same(
    shelf.remove(other, found => found === id('home')),
    { done: true, stamp: 'missing' },
  )
  t.notOk(fs.existsSync(join(tree, 'app')), 'empty folders go with it')
  t.same(
    shelf.remove(other, () => false),
    { done: true, stamp: 'missing' },
    'gone is gone',
  )
  t.same(leftOver(), [])
})

t.test('prepare clears what an earlier process left, and only the first time', async t => {
  const { root, tree, leftOver } = await open(t)
  fs.writeFileSync(join(root, 'tmp', '7'), 'left over')
  const shelf = new WorkTreeWriter(tree, join(root, 'tmp'))
  await shelf.prepare()
  t.same(leftOver(), [])
  fs.writeFileSync(join(root, 'tmp', '1'), 'at work')
  await shelf.prepare()
  t.same(leftOver(), ['1'])
})

/** Another process that saves `person 1`, `person 2`… as editors do, and says each name once it is saved. */
const EDITOR = `
  const fs = require('node:fs')
  const [path, style] = process.argv.slice(1)
  for (let i = 1; i <= 400; i++) {
    const text = 'person ' + i
    try {
      if (style === 'writes') fs.writeFileSync(path, text)
      if (style === 'renames') { fs.writeFileSync(path + '~', text); fs.renameSync(path + '~', path) }
      if (style === 'removes') fs.rmSync(require('node:path').dirname(path), { recursive: true, force: true })
    } catch {}
    const end = Date.now() + 1
    while (Date.now() < end);
  }`

/**
 * Replaces the file over and over while the editor is at work; gives every text that it replaced, and how often it was
 * refused.
 */
async function race(t: Test, style: string) {
  const org = await open(t, 'server 0')
  const editor = spawn(process.execPath, ['-e', EDITOR, org.at, style])
  let running = true
  const ended = new Promise<void>(resolve =>
    editor.on('close', () => {
      running = false
      resolve()
    }),
  )
  const ours = new Set([id('server 0')])
  let placed = 0
  let refused = 0
  const unknown: (string | null)[] = []
  for (let round = 1; running; round++) {
    const text = `server ${round}`
    ours.add(id(text))
    const known = (found: string | null) => {
      if (found !== null && !ours.has(found)) unknown.push(found)
      return found === null || ours.has(found)
    }
    const { done } = await org.replace(text, known)
    if (done) placed++
    else {
      refused++
      // A person's save is read, as the work tree does; then it may go.
      const found = await readContent(org.tree, PATH)
      if (found.state === 'content') ours.add(found.id)
    }
  }
  await ended
  return { ...org, placed, refused }
}

t.test('an editor that writes into the file while it is replaced: no write of his is half there', async t => {
  const { placed, refused, file, leftOver } = await race(t, 'writes')
  t.ok(placed > 0 && refused > 0, `${placed} placed, ${refused} refused`)
  t.match(file(), /^(server|person) \d+$/)
  t.same(leftOver(), [])
})

t.test('an editor that renames his file into place while it is replaced', async t => {
  const { placed, refused, file, leftOver } = await race(t, 'renames')
  t.ok(placed > 0 && refused > 0, `${placed} placed, ${refused} refused`)
  t.match(file(), /^(server|person) \d+$/)
  t.same(leftOver(), [])
})

t.test('someone who removes the folder while a file is put there: no error, and it can be put again', async t => {
  const { placed, replace, file, leftOver } = await race(t, 'removes')
  t.ok(placed > 0, `${placed} placed`)
  t.match(await replace('last', () => true), { done: true })
  t.equal(file(), 'last')
  t.same(leftOver(), [])
})

t.test('a save between the check and the exchange is seen', async t => {
  const { at, replace, shelf, file, leftOver } = await open(t, 'old')
  const save = (text: string) => () => {
    fs.writeFileSync(at, text)
    return true
  }
  t.same(await replace('new', save('person wrote')), { done: false })
  t.equal(file(), 'person wrote')
  const rename = () => {
    fs.writeFileSync(`${at}~`, 'person renamed')
    fs.renameSync(`${at}~`, at)
    return true
  }
  t.same(await replace('new', rename), { done: false })
  t.equal(file(), 'person renamed')
  t.same(shelf.remove(PATH, save('person wrote again')), { done: false })
  t.equal(file(), 'person wrote again')
  const remove = () => {
    fs.rmSync(dirname(at), { recursive: true })
    return true
  }
  t.same(await replace('new', remove), { done: false })
  const create = () => {
    fs.mkdirSync(dirname(at), { recursive: true })
    fs.writeFileSync(at, 'person created')
    return true
  }
  t.same(await replace('new', create), { done: false })
  t.equal(file(), 'person created')
  t.same(leftOver(), [])
})
