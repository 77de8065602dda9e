/** `git log`: a branch's commits that changed given files, newest first. */
import { Failure } from '../../bundle/errors.ts'
import { Splitter } from '../../bundle/splitter.ts'
import type { ChangedFile } from '../../project/changed-files.ts'
import { COMMITTER } from '../objects/commit.ts'
import { endGroup, startIn } from './git.ts'

/** A commit and its changes of the given files against its first parent. */
export interface LoggedCommit {
  id: string
  /** Whether the server created it: then all its bundles are canonical. */
  ours: boolean
  files: (ChangedFile & { language: string })[]
  /** Whether it changed more files than `files` holds. */
  more: boolean
}

/** The kind of a counting file: a bundle of a language, or one that is not compared. */
export type Counted = { language: string } | 'uncompared'

interface LogOptions {
  gitDir: string
  /** The full id of the commit to begin with. */
  from: string
  /** A path of checked names, without a wildcard or as `:(glob)…`: never a caller's own text. */
  pathspec: string
  /** The author's e-mail address, without `<`, `>` and control characters; undefined for all. */
  author?: string | undefined
  /** Undefined for a file that does not count; a commit without any that counts is left out. */
  countedAs: (path: string) => Counted | undefined
  mostFiles: number
  signal: AbortSignal
}

/** No setting of the repository may change what is found or how it is printed. */
const PLAIN = [
  ...['-c', 'log.follow=false', '-c', 'log.showRoot=true', '-c', 'log.showSignature=false', '-c', 'log.mailmap=false'],
  ...['-c', 'log.diffMerges=first-parent', '-c', 'core.commitGraph=true', '-c', 'i18n.logOutputEncoding=UTF-8'],
]
const FORMAT = ['--raw', '-r', '-z', '--no-abbrev', '--no-renames', '--no-color', '--no-notes', '--root']
/** Plain files; links and submodules count as absent. */
const FILE_MODES = new Set(['100644', '100755', '100664'])
const ABSENT = /^0+$/
const ERRORS_LIMIT = 4096

/**
 * The commits from `from` on, by first parents, that changed the pathspec's files; git ends when the reader stops.
 * @throws Failure `unavailable` when git fails, and the signal's reason
 */
export async function* log(options: LogOptions): AsyncGenerator<LoggedCommit> {
  const { gitDir, from, pathspec, author, signal } = options
  signal.throwIfAborted()
  // A "+" that was not percent-encoded, as in every token's address, has come as a space.
  const authors = author === undefined ? [] : [author, author.replaceAll(' ', '+')]
  const by = ['--fixed-strings', ...authors.map(one => `--author=<${one}>`)]
  const argv = ['log', '--first-parent', ...by, ...FORMAT, '--format=%H%x00%cn <%ce>', from, '--', pathspec]
  const child = await startIn(gitDir, [...PLAIN, '--no-replace-objects', ...argv], { signal })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', data => (errors = `${errors}${data}`.slice(0, ERRORS_LIMIT)))
  const ended = new Promise<number | null>(resolve => child.on('close', resolve).on('error', () => resolve(null)))
  try {
    yield* commitsIn(child.stdout.setEncoding('utf8'), options)
    const code = await ended
    signal.throwIfAborted()
    if (code !== 0) throw new Failure('unavailable', `git could not read the history: ${errors.trim().slice(0, 300)}`)
  } finally {
    endGroup(child)
  }
}

/** Reads `<id> NUL <committer> NUL`, a line break before the first change, and per change `:<what> NUL <path> NUL`. */
async function* commitsIn(output: AsyncIterable<string>, { countedAs, mostFiles }: LogOptions) {
  let commit: LoggedCommit | undefined
  let counts = false
  const fields = new Splitter('\0')
  let words: string[] = []
  for await (const chunk of output) {
    const parts = fields.take(chunk)
    words = words.length > 0 ? [...words, ...parts] : parts
    let at = 0
    // Both kinds of record have two words.
    for (; at + 1 < words.length; at += 2) {
      const [first, second] = [words[at]!, words[at + 1]!]
      const change = /^\n?:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(first)
      if (change === null) {
        if (commit && counts) yield commit
        counts = false
        commit = { id: first, ours: second === COMMITTER, files: [], more: false }
        continue
      }
      const counted = countedAs(second)
      if (commit === undefined || counted === undefined) continue
      counts = true
      if (counted === 'uncompared') continue
      const [, modeBefore, modeAfter, before, after] = change as unknown as string[]
      if (commit.files.length === mostFiles) commit.more = true
      else
        commit.files.push({
          ...counted,
          path: second,
          before: blob(modeBefore!, before!),
          after: blob(modeAfter!, after!),
        })
    }
    words = words.slice(at)
  }
  if (commit && counts) yield commit
}

function blob(mode: string, id: string): string | null {
  return FILE_MODES.has(mode) && !ABSENT.test(id) ? id : null
}
