/** Locale files, and the bundles that are read from them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseResource } from '../../bundle/canonical.ts'
import { parseJson } from '../../bundle/json.ts'
import { Problem } from '../problem.ts'
import { LocaleDocument } from './document.ts'
import type { FaultList } from './fault-list.ts'
import type { IgnoredKeys } from './ignored-keys.ts'
import { type Branch, type Member, type Position, plain, positionOf } from './json-source.ts'

/** i18next's resource: keys and texts, nested or not. */
export type Resource = { [member: string]: unknown }

/** A namespace of a language on this machine. Merged namespaces share a path. */
export interface LocalFile {
  language: string
  namespace: string
  /** Relative to the root, with `/`. */
  path: string
}

interface BundleRules {
  /** Whether the bytes are known to be valid i18next JSON. */
  known: boolean
  ignoredKeys: IgnoredKeys
  /** Whether the file may have other namespaces. */
  isMerged: boolean
}

/** The part of a locale file for one namespace, after its check. */
export class LocalBundle {
  readonly file: LocalFile
  /** The whole file. */
  readonly bytes: Buffer
  /** Whether the file has no other namespace. */
  readonly isWhole: boolean
  readonly #known: boolean
  readonly #ignoredIn: (root: Branch) => Member[]
  #document: LocaleDocument | undefined
  #resource: Resource | undefined

  constructor(
    file: LocalFile,
    bytes: Buffer,
    { known, ignoredKeys, isMerged }: BundleRules,
    document?: LocaleDocument,
  ) {
    this.file = file
    this.bytes = bytes
    this.isWhole = !isMerged
    this.#known = known
    this.#ignoredIn = root => ignoredKeys.membersOf(root, file.namespace, isMerged)
    this.#document = document
    const [fault] = known || !this.branch ? [] : this.document.faultsIn(this.branch)
    if (fault) throw fault.problem()
  }

  get document(): LocaleDocument {
    return (this.#document ??= new LocaleDocument(this.file.path, this.bytes, { ignoredIn: this.#ignoredIn }))
  }

  /** The object of the namespace; undefined if the file has none. */
  get branch(): Branch | undefined {
    return this.document.branchOf(this.isWhole ? undefined : this.file.namespace)
  }

  /** Without left-out keys. All leaves are strings, and each key is unique. */
  get resource(): Resource {
    return (this.#resource ??= this.#known ? (parseResource(this.bytes) as Resource) : this.#parsed())
  }

  #parsed(): Resource {
    const { branch, document } = this
    if (branch && document.ignored.size > 0) return plain(branch, document.ignored) as Resource
    return branch ? (parseJson(document.text.slice(branch.from, branch.to)) as Resource) : {}
  }

  /** The position of a key (`item_one`, `list.0`) or of the first form of a plural; undefined for a missing one. */
  placeOf(key: string): Position | undefined {
    const { branch, document } = this
    const places = branch ? document.placesIn(branch) : new Map<string, number>()
    const at = places.get(key) ?? places.get([...places.keys()].find(name => name.startsWith(`${key}_`)) ?? '')
    return at === undefined ? undefined : positionOf(document.text, at)
  }
}

/** Reads a file of the app; undefined for a missing one. @throws Problem */
export function readLocalFile(root: string, path: string): Buffer | undefined {
  try {
    return readFileSync(join(root, path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Problem(`The file cannot be read (${code}).`, { file: path, cause: error })
  }
}

/** Reads a locale file; undefined for a missing one. @throws Problem */
export function readDocument(
  { root, ignoredKeys, layout }: { root: string; ignoredKeys: IgnoredKeys; layout: unknown },
  { path, namespace }: Pick<LocalFile, 'path' | 'namespace'>,
  faults?: FaultList,
): LocaleDocument | undefined {
  const bytes = readLocalFile(root, path)
  const ignoredIn = (branch: Branch) => ignoredKeys.membersOf(branch, namespace, layout === 'merged')
  return bytes && new LocaleDocument(path, bytes, { faults, ignoredIn })
}
