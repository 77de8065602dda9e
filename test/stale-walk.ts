/**
 * What the notes of stale translations must say after each commit of a repository: a slow, obvious walk over its
 * history.
 */
import { execFileSync } from 'node:child_process'
import { bundleIn } from '../src/bundle/canonical.ts'
import type { Message } from '../src/bundle/message.ts'
import { git } from './contract/server.ts'

/** Messages by key. */
type Texts = Map<string, Message>
/** By language, of one namespace. */
type State = Map<string, Texts>
/** The source messages that translations were written for: by key, then language. */
type Notes = Map<string, Map<string, Message>>

interface Commit {
  id: string
  subject: string
  trailers: Map<string, string[]>
}

/** A commit, the notes that it must have, and those that it has, both as JSON. */
export interface Step {
  id: string
  subject: string
  expected: string
  found: string
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Walks the history of a namespace of a project with the source language `source`. */
export function walk(
  folder: string,
  { slug, namespace, source }: { slug: string; namespace: string; source: string },
): Step[] {
  const commits = commitsOf(folder)
  const files = filesAt(folder, commits, slug)
  const states = new Map<string, State>()
  const notes = new Map<string, Notes>()
  const at = (revision: string) => ({ state: states.get(revision)!, notes: notes.get(revision)! })
  let before: State = new Map()
  let known: Notes = new Map()
  return commits.map(commit => {
    const { id, subject } = commit
    const state: State = new Map()
    for (const [path, bytes] of files.get(id)!) {
      const [, folder, language, file] = path.split('/')
      if (folder !== 'locales' || file !== `${namespace}.json`) continue
      state.set(
        language!,
        new Map(
          bundleIn(bytes)
            .rows()
            .map(({ key, message }) => [key, message]),
        ),
      )
    }
    const now = next(commit, {
      before,
      state,
      known,
      source,
      namespace,
      at,
      parentOf: revision => at(commits[commits.findIndex(({ id }) => id === revision) - 1]!.id),
    })
    states.set(id, state)
    notes.set(id, now)
    before = state
    known = now
    const found = files.get(id)!.get(`${slug}/stale/${namespace}.json`)
    return { id, subject, expected: told(now), found: found ? told(read(found)) : '' }
  })
}

function next(
  { subject, trailers }: Commit,
  on: {
    before: State
    state: State
    known: Notes
    source: string
    namespace: string
    at: (revision: string) => { state: State; notes: Notes }
    parentOf: (revision: string) => { state: State; notes: Notes }
  },
): Notes {
  const { before, state, known, source } = on
  const notes: Notes = new Map()
  const set = (key: string, language: string, message: Message) =>
    notes.set(key, (notes.get(key) ?? new Map()).set(language, message))
  const undone = trailers.get('Parlance-Reverted')?.[0]
  const [, from, to] = (undone === undefined && /: rename (\S+) to (\S+)$/.exec(subject)) || []
  const [, confirming, confirmed] = /^\S+ (\S+)\/\S+: confirm (\S+)$/.exec(subject) ?? []
  const textOf = (of: State, language: string, key: string) => of.get(language)?.get(key)
  const sourceNow = (key: string) => textOf(state, source, key)
  const restored = trailers.get('Parlance-Restored')?.[0]
  const then = restored !== undefined ? on.at(restored) : undone !== undefined ? on.parentOf(undone) : undefined
  const left = undone === undefined ? undefined : on.at(undone)
  const madeOf = (of: { state: State; notes: Notes }, language: string, key: string) =>
    of.notes.get(key)?.get(language) ?? textOf(of.state, source, key)
  const present = { state: before, notes: known }
  const inScope = (language: string, key: string, stays: boolean) => {
    // What has changed since the commit that is undone stays.
    if (left) return !stays || same(madeOf(left, language, key), madeOf(present, language, key))
    const [, only] = /: restore (\S+) to /.exec(subject) ?? []
    const languages = /^\S+ [^ ]+\/|^\S+ (?!common)/.test(subject) ? trailers.get('Parlance-Language') : undefined
    return (only === undefined || only === 'it' || only === key) && (languages ?? [language]).includes(language)
  }
  for (const [language, texts] of state) {
    if (language === source) continue
    for (const [key, text] of texts) {
      if (leaves(text).includes('')) continue
      const old = key === to ? from! : key
      const stays = same(textOf(before, language, old), text)
      let made: Message | undefined
      if (then && inScope(language, key, stays) && same(textOf(then.state, language, key), text)) {
        made = madeOf(then, language, key)
      } else if (stays && !(language === confirming && key === confirmed)) {
        made = madeOf(present, language, old)
      } else continue
      if (made !== undefined && !same(made, sourceNow(key))) set(key, language, made)
    }
  }
  return notes
}

const leaves = (message: Message): string[] =>
  typeof message === 'string'
    ? [message]
    : Object.values(message).flatMap(part => (typeof part === 'string' ? [part] : Object.values(part)))

const told = (notes: Notes): string =>
  [...notes]
    .flatMap(([key, by]) => [...by].map(([language, message]) => `${key} ${language} ${JSON.stringify(message)}`))
    .sort()
    .join('\n')

function read(bytes: Buffer): Notes {
  const notes: Notes = new Map()
  const file: Record<string, { source: Message; languages: string[] }[]> = JSON.parse(bytes.toString('utf8'))
  for (const [key, list] of Object.entries(file)) {
    notes.set(key, new Map(list.flatMap(({ source, languages }) => languages.map(name => [name, source] as const))))
  }
  return notes
}

function commitsOf(folder: string): Commit[] {
  const format = '--format=%H%x00%s%x00%(trailers:only,unfold)%x00%x00'
  const out = git(folder, 'log', '--reverse', format)
  return out
    .split('\0\0\n')
    .filter(text => text.trim() !== '')
    .map(text => {
      const [id, subject, lines] = text.split('\0') as [string, string, string]
      const trailers = new Map<string, string[]>()
      for (const line of lines.split('\n').filter(Boolean)) {
        const [name, value] = line.split(': ') as [string, string]
        trailers.set(name, [...(trailers.get(name) ?? []), value])
      }
      return { id: id.trim(), subject, trailers }
    })
}

/** The files of a project at each commit, by path. */
function filesAt(folder: string, commits: Commit[], slug: string): Map<string, Map<string, Buffer>> {
  const trees = commits.map(({ id }) => git(folder, 'ls-tree', '-r', '-z', id, '--', slug).split('\0').filter(Boolean))
  const entries = trees.map(lines =>
    lines.map(line => /^\d+ blob (\w+)\t(.*)$/s.exec(line)!.slice(1) as [string, string]),
  )
  const ids = [...new Set(entries.flat().map(([id]) => id))]
  const blobs = blobsOf(folder, ids)
  return new Map(
    commits.map(({ id }, at) => [id, new Map(entries[at]!.map(([blob, path]) => [path, blobs.get(blob)!]))]),
  )
}

function blobsOf(folder: string, ids: string[]): Map<string, Buffer> {
  const input = ids.map(id => `${id}\n`).join('')
  const args = ['-c', 'safe.directory=*', '-C', folder, 'cat-file', '--batch']
  const out = execFileSync('git', args, { input, maxBuffer: 1 << 28 })
  const blobs = new Map<string, Buffer>()
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at)
    const [id, , size] = out.toString('utf8', at, end).split(' ') as [string, string, string]
    blobs.set(id, out.subarray(end + 1, end + 1 + Number(size)))
    at = end + 2 + Number(size)
  }
  return blobs
}
