/** Collects notes from the app's code by its own i18next-cli. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Context } from '../context.ts'
import type { LocalProject } from '../local/types.ts'
import { type CodeNotes, type CodeNotesOptions, parlanceNotes } from './i18next-cli-plugin.ts'

/** The notes of an app, and the source files that could not be read. */
export interface CollectedNotes {
  notes: CodeNotes
  unread: string[]
}

interface ExtractorPlugin {
  name?: string
  options?: CodeNotesOptions
}

interface Extractor {
  findKeys?: (config: object, logger: object, faults: string[]) => Promise<{ allKeys: Map<string, unknown> }>
}

const TOOL = 'i18next-cli'
const NONE = 'No notes from the code:'

/** @returns undefined for an app without sources or without i18next-cli; says why where that may be a mistake */
export async function collectNotes(
  { err, progress, within }: Pick<Context, 'err' | 'progress' | 'within'>,
  { root, extraction }: Pick<LocalProject, 'root' | 'extraction'>,
): Promise<CollectedNotes | undefined> {
  if (extraction === undefined) return undefined
  const tool = toolOf(root)
  if (tool === undefined) {
    if (dependsOnTool(root)) await err(`${NONE} ${TOOL} is not installed here; install it, or give --no-notes.\n`)
    return undefined
  }
  const running = progress('Reading the code')
  const faults: string[] = []
  try {
    const { findKeys } = (await import(pathToFileURL(tool).href)) as Extractor
    const all = [extraction.plugins ?? []].flat() as ExtractorPlugin[]
    const configured = all.find(({ name }) => name === 'parlance-notes')
    const { marks } = configured?.options ?? {}
    const plugin = parlanceNotes(marks && { marks })
    const plugins = [...all.filter(one => one !== configured), plugin]
    // The warnings of i18next-cli are about keys, not about notes. A conflict of two default texts would end it.
    const extract = { ...extraction.extract, warnOnConflicts: false }
    const silent = { info() {}, warn() {}, error() {} }
    // i18next-cli looks for sources in the working folder.
    const found = await within(root, async () => findKeys?.({ ...extraction, extract, plugins }, silent, faults))
    if (!found || (found.allKeys.size > 0 && !plugin.hasSeenKeys)) {
      await err(`${NONE} this needs ${TOOL} 1.48 or newer.\n`)
      return undefined
    }
    const unread = Map.groupBy(faults, fault => fault.split(': ')[0]!)
    for (const [path, sentences] of unread) await err(`${unreadText(path, sentences)}\n`)
    return { notes: plugin.notes, unread: [...unread.keys()] }
  } catch (error) {
    await err(`${NONE} ${TOOL} failed: ${firstLine((error as Error).message ?? String(error))}\n`)
    return undefined
  } finally {
    running.stop()
  }
}

function toolOf(root: string): string | undefined {
  try {
    return createRequire(join(root, 'package.json')).resolve(TOOL)
  } catch {
    return undefined
  }
}

/** Whether the app's package.json names i18next-cli. Without that it may run by npx. */
function dependsOnTool(root: string): boolean {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return TOOL in { ...dependencies, ...devDependencies }
  } catch {
    return false
  }
}

function unreadText(path: string, sentences: readonly string[]): string {
  const why = sentences.map(sentence => firstLine(sentence.slice(path.length + 2))).find(Boolean)
  return `${path} cannot be read, and its notes stay as they are${why ? `: ${why}` : '.'}`
}

/** SWC shows the source below its sentence. */
const firstLine = (message: string): string =>
  message
    .split('\n')
    .find(line => line.trim())
    ?.trim() ?? ''
