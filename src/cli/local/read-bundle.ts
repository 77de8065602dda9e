/** A namespace of a locale file. */
import { parseResource } from '../../bundle/canonical.ts'
import { parseJson } from '../../bundle/json.ts'
import { LocaleDocument } from './document.ts'
import type { IgnoredKeys } from './ignored-keys.ts'
import { type Branch, type Member, type Position, plain } from './json-source.ts'
import type { LocalBundle, LocalFile, Resource } from './types.ts'

interface BundleRules {
  /** Whether the bytes are known to be valid i18next JSON. */
  known: boolean
  ignoredKeys: IgnoredKeys
  /** Whether the file may have other namespaces. */
  isMerged: boolean
}

/** A checked namespace. */
export class ReadBundle implements LocalBundle {
  readonly file: LocalFile
  readonly bytes: Buffer
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
    if (!known && this.branch) this.document.check(this.branch)
  }

  get document(): LocaleDocument {
    return (this.#document ??= new LocaleDocument(this.file.path, this.bytes, { ignoredIn: this.#ignoredIn }))
  }

  get branch(): Branch | undefined {
    return this.document.branchOf(this.isWhole ? undefined : this.file.namespace)
  }

  get resource(): Resource {
    return (this.#resource ??= this.#known ? (parseResource(this.bytes) as Resource) : this.#parsed())
  }

  #parsed(): Resource {
    const { branch, document } = this
    if (branch && document.ignored.size > 0) return plain(branch, document.ignored) as Resource
    return branch ? (parseJson(document.text.slice(branch.from, branch.to)) as Resource) : {}
  }

  placeOf(key: string): Position | undefined {
    const { branch, document } = this
    const places = branch ? document.placesIn(branch) : new Map<string, number>()
    const at = places.get(key) ?? places.get([...places.keys()].find(name => name.startsWith(`${key}_`)) ?? '')
    return at === undefined ? undefined : document.positionOf(at)
  }
}
