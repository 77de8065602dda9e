/**
 * The commit-graph (git-commit-graph(1)) with changed-path filters: what makes the history of one file fast among 100,000
 * commits. Written in a workshop, in layers, so that keeping it fresh costs little.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, makeFolder, removeFile, renameFile, replaceFile, syncFolder } from '../disk.ts'
import type { Pack } from './pack-list.ts'
import { syncMade, Workshop } from './workshop.ts'

const CHAIN = 'commit-graph-chain'
/** More layers than this are made one; looking a commit up takes a search in each. */
const MOST_LAYERS = 16

/** How many objects have come since the graph was last written, by the times of their packs. */
export async function objectsOutside(gitDir: string, packs: readonly Pack[]): Promise<number> {
  const written = await stat(join(folderOf(gitDir), CHAIN)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  return packs.reduce((sum, { objects, mtimeMs }) => (mtimeMs > written ? sum + objects : sum), 0)
}

/**
 * Brings the graph up to the refs.
 * @throws Error when git fails or the disk refuses; the graph is as it was then
 */
export async function writeCommitGraph(gitDir: string, signal: AbortSignal): Promise<void> {
  const began = new Date()
  const folder = folderOf(gitDir)
  const layers = await readChain(join(folder, CHAIN))
  const single = join(gitDir, 'objects', 'info', 'commit-graph')
  const anew = existsSync(single) || (await unbalanced(folder, layers))
  const shop = await Workshop.open(gitDir, signal)
  try {
    const split = anew ? '--split=replace' : '--split=no-merge'
    await shop.run(['commit-graph', 'write', '--reachable', '--changed-paths', '--progress', split])
    const from = join(shop.objects, 'info', 'commit-graphs')
    const chain = await readChain(join(from, CHAIN))
    await makeFolder(folder)
    if (chain.length > 0) await install(from, folder, chain, layers)
    // A graph of one file, which a person's git may have written, hides the layers.
    if (chain.length > 0 && anew) await removeFile(single)
    // Commits that came since then are to count as outside.
    await utimes(join(folder, CHAIN), began, began).catch(() => {})
  } finally {
    await shop.close()
  }
}

const folderOf = (gitDir: string) => join(gitDir, 'objects', 'info', 'commit-graphs')
const layerFile = (layer: string) => `graph-${layer}.graph`

/** The layers, the lowest first; none when there is no chain. */
async function readChain(path: string): Promise<string[]> {
  const text = await readFile(path, 'latin1').catch(error => {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  })
  return text.match(/^[0-9a-f]{40}$/gm) ?? []
}

/** Whether one layer is to replace them all: there are none or too many, one is lost, or those above the lowest are half as large as it. */
async function unbalanced(folder: string, layers: string[]): Promise<boolean> {
  if (layers.length === 0 || layers.length >= MOST_LAYERS) return true
  try {
    const sizes = await Promise.all(layers.map(async layer => (await stat(join(folder, layerFile(layer)))).size))
    return sizes.slice(1).reduce((sum, size) => sum + size, 0) * 2 > sizes[0]!
  } catch {
    return true
  }
}

/** The chain is replaced last: whatever it names is there, whenever the power fails. */
async function install(from: string, folder: string, chain: string[], before: string[]): Promise<void> {
  for (const file of (await readdir(from)).filter(file => file.endsWith('.graph'))) {
    await syncMade(join(from, file))
    await renameFile(join(from, file), join(folder, file))
  }
  await syncFolder(folder)
  await replaceFile(join(folder, CHAIN), Buffer.from(`${chain.join('\n')}\n`), join(from, `${CHAIN}.new`))
  await syncFolder(folder)
  // A git that has read the chain just now may be about to open the layers it named.
  const needed = new Set([...chain, ...before].map(layerFile))
  for (const file of await readdir(folder)) {
    if (file.endsWith('.graph') && !needed.has(file)) await removeFile(join(folder, file))
  }
}
