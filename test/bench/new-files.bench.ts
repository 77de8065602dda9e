/** Measures how soon thousands of new files, written by many at once, are in git and the work tree; exits with 1 when a limit is missed. `--quick` for fewer. */
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Store } from '../../src/store/store.ts'
import { QUICK } from './harness.ts'
import { bounded, compared, type Row, report } from './report.ts'

const FILES = QUICK ? 1_000 : 4_000
const ROUNDS = QUICK ? 1 : 3
const WRITERS = 64
const ANN = { name: 'Ann', email: 'ann@example.com' }
const MANIFEST = Buffer.from('{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n')
const BUNDLE = Buffer.from('{\n  "greeting": "Hello",\n  "title": "Welcome"\n}\n')

/** What is new: each shape makes other folders. */
const SHAPES: Record<string, (at: number) => string> = {
  namespaces: at => `web/locales/en/n${at}.json`,
  languages: at => `web/locales/aa-x${at}/common.json`,
  projects: at => `p${at}/project.json`,
}

const bytesOf = (path: string) => (path.endsWith('project.json') ? MANIFEST : BUNDLE)

/** Writes them all, each as a write of its own; how long it takes from the last acknowledgement until all are in git and in place. */
async function throughStore(directory: string, paths: string[]): Promise<number> {
  const store = await Store.open({ directory, watch: false, maintenance: false })
  const put = (path: string) =>
    store.write('acme', ANN, tx => ({ result: tx.put(path, bytesOf(path)), message: { subject: `add ${path}` } }))
  await put('web/project.json')
  await store.flush()
  const waiting = [...paths]
  const writer = async () => {
    for (let path = waiting.pop(); path; path = waiting.pop()) await put(path)
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  const acknowledged = performance.now()
  await store.flush()
  const sealed = performance.now()
  await store.close()
  return sealed - acknowledged
}

/** The same files put in place and made durable one by one, as a careful program does: file synced, renamed, folder synced. */
function oneByOne(folder: string, paths: string[]): number {
  fs.mkdirSync(folder)
  const began = performance.now()
  for (const path of paths) {
    const file = join(folder, path)
    fs.mkdirSync(dirname(file), { recursive: true })
    fs.writeFileSync(`${file}.tmp`, bytesOf(path), { flush: true })
    fs.renameSync(`${file}.tmp`, file)
    const parent = fs.openSync(dirname(file), 'r')
    fs.fsyncSync(parent)
    fs.closeSync(parent)
  }
  return performance.now() - began
}

const root = fs.mkdtempSync(join(tmpdir(), 'parlance-new-files-'))
const rows: Row[] = []
try {
  for (const [shape, pathOf] of Object.entries(SHAPES)) {
    const paths = Array.from({ length: FILES }, (_, at) => pathOf(at))
    const [behind, other]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      behind.push(await throughStore(join(root, `store-${shape}-${round}`), paths))
      other.push(oneByOne(join(root, `plain-${shape}-${round}`), paths))
    }
    const what = `${FILES} new ${shape}, in git and in place after the last answer`
    rows.push(compared(`${what}, against placing them alone`, behind, other, { unit: 'ms', limit: 1, atMost: true }))
    rows.push(bounded(what, behind, 1000, 'ms'))
  }
} finally {
  fs.rmSync(root, { recursive: true, force: true })
}
process.exitCode = report('new-files', 'each file a write and a commit of its own, 64 writers', rows)
