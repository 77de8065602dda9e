/** Opens the app of a folder: what its i18next config says, what parlance.config.json says instead, what the disk shows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseResource } from '../../bundle/canonical.ts'
import { Failure } from '../../bundle/errors.ts'
import { parseJson } from '../../bundle/json.ts'
import { checkLanguage, checkNamespace, type Format } from '../../bundle/names.ts'
import { Problem, usage } from '../problem.ts'
import { detectLayout, LANGUAGE, refuseOthers } from './detect.ts'
import { type Leaf, LocaleDocument } from './document.ts'
import { findI18nextConfig, type I18nextConfig, readI18nextConfig } from './i18next-config.ts'
import type { Branch, Position } from './json-source.ts'
import { type Found, filesOf, fill, namesNamespaces, type Output } from './template.ts'
import { type LocalBundle, type LocalFile, type LocalProject, type OwnFields, type Resource, UNNAMED } from './types.ts'

const OWN = 'parlance.config.json'

/**
 * The app's own files. Runs its i18next config, where it has one.
 * @param root absolute
 * @throws Problem (exit 2) naming the config and the field that is wrong, or where no locale files are found
 */
export async function openLocal(root: string, own: OwnFields): Promise<LocalProject> {
  const configFile = findI18nextConfig(root)
  const config = configFile === undefined ? undefined : await readI18nextConfig(root, configFile)
  const origins: Record<string, string> = {}
  const choose = <K extends keyof OwnFields, T>(
    field: K,
    configured: T | undefined,
    otherwise: T,
    found = 'default',
  ) => {
    const [mine, theirs] = [own[field], configured]
    origins[field] = mine !== undefined ? OWN : theirs !== undefined ? configFile! : found
    return (mine ?? theirs ?? otherwise) as Exclude<OwnFields[K], undefined> | T
  }
  const place = await outputOf(root, own, config)
  const { output } = place
  origins.output = place.origin
  const found = place.languages ?? []
  const named = choose('languages', config?.languages, found, `found ${String(output)}`)
  const sourceLanguage = choose('sourceLanguage', config?.sourceLanguage, named[0] ?? 'en')
  const languages = named.includes(sourceLanguage) ? named : [sourceLanguage, ...named]
  const settings = {
    root,
    configFile,
    output: typeof output === 'string' ? output : 'a function',
    languages,
    sourceLanguage,
    namespaces: choose('namespaces', undefined, undefined),
    defaultNamespace: choose('defaultNamespace', config?.defaultNamespace, UNNAMED),
    keySeparator: choose('keySeparator', config?.keySeparator, '.'),
    nsSeparator: choose('nsSeparator', config?.nsSeparator, ':'),
    // Where nothing says so, nobody sorts, and a new key goes beside its neighbour.
    sort: choose('sort', config ? (config.sort ?? true) : undefined, false),
    indentation: choose('indentation', config?.indentation, 2),
    ignoredNamespaces: choose('ignoreNamespaces', config?.ignoredNamespaces, []),
    typesOutput: config?.typesOutput,
    origins,
  }
  const apart = namesNamespaces(output, place.origin, sourceLanguage) && !config?.mergeNamespaces
  const where: Where = { output, origin: place.origin, apart }
  for (const language of languages) checked(origins.languages!, () => checkLanguage(language))
  const [first, second] = languages.map(language => fill(output, place.origin, language, apart ? UNNAMED : undefined))
  if (first === second) {
    throw usage(`${first} would be the file of each language; put {{language}} into the path.`, { file: place.origin })
  }
  refuseOthers(first!, place.origin)
  const layout = apart ? 'files' : await layoutOf(settings, where, config?.fallbackNamespaces ?? [])
  return Object.assign(new Files(settings, where, layout), settings)
}

interface Where {
  output: Output
  /** The file that says so, for messages. */
  origin: string
  /** Whether each namespace is a file. */
  apart: boolean
}

async function outputOf(
  root: string,
  own: OwnFields,
  config: I18nextConfig | undefined,
): Promise<{ output: Output; origin: string; languages?: string[] }> {
  if (own.output !== undefined) {
    const { output } = own
    if (config || own.languages) return { output, origin: OWN }
    const files = filesOf(root, { output, origin: OWN, apart: namesNamespaces(output, OWN, 'en') })
    return { output, origin: OWN, languages: [...new Set(files.map(({ language }) => language))].filter(isLanguage) }
  }
  // i18next-cli's own, where a config has none.
  if (config) return { output: config.output ?? 'locales/{{language}}/{{namespace}}.json', origin: config.file }
  const layout = await detectLayout(root)
  if (layout) return { ...layout, origin: 'found' }
  throw usage('No locale files are found in this folder.', {
    hint: `Run \`parlance init\`, or say where they are: "output": "locales/{{language}}/{{namespace}}.json" in ${OWN}.`,
  })
}

/** How one file a language holds its namespaces: i18next-cli goes by the files too. */
async function layoutOf(
  { root, languages, defaultNamespace, nsSeparator }: Settings,
  { output, origin }: Where,
  others: string[],
): Promise<LocalProject['layout']> {
  if (defaultNamespace === false) return { only: UNNAMED }
  for (const language of languages) {
    const path = fill(output, origin, language)
    const document = readDocument(root, path)
    if (!document || document.root.members.length === 0) continue
    const { members } = document.root
    const named = members.some(({ name, value }) => name === defaultNamespace && value.kind === 'object')
    const holdsObjects = members.every(({ value }) => value.kind === 'object')
    return named || (holdsObjects && nsSeparator !== false) ? 'merged' : { only: defaultNamespace }
  }
  return nsSeparator === false && others.length === 0 ? { only: defaultNamespace } : 'merged'
}

type Settings = Omit<LocalProject, 'layout' | 'pathOf' | 'unnamed' | 'find' | 'read' | 'format'>

/** The files of an app. */
class Files {
  readonly layout: LocalProject['layout']
  readonly #settings: Settings
  readonly #where: Where

  constructor(settings: Settings, where: Where, layout: LocalProject['layout']) {
    this.layout = layout
    this.#settings = settings
    this.#where = where
  }

  pathOf(language: string, namespace: string): string {
    const { output, origin, apart } = this.#where
    checked(origin, () => checkLanguage(language))
    checked(origin, () => checkNamespace(namespace))
    if (typeof this.layout === 'object' && namespace !== this.layout.only) {
      const sentence = `Each language is one file here, for the namespace ${JSON.stringify(this.layout.only)}`
      throw new Problem(`${sentence}; ${JSON.stringify(namespace)} has no place in it.`, { file: origin })
    }
    return fill(output, origin, language, apart ? namespace : undefined)
  }

  async unnamed(): Promise<string[]> {
    const { root, languages } = this.#settings
    if (typeof this.#where.output === 'function') return []
    const found = new Set(filesOf(root, this.#where).map(({ language }) => language))
    return [...found].filter(language => LANGUAGE.test(language) && !languages.includes(language))
  }

  async find(): Promise<LocalFile[]> {
    const { root, languages } = this.#settings
    const files: LocalFile[] = []
    for (const language of languages) {
      for (const found of filesOf(root, { ...this.#where, language })) files.push(...(await this.#namespacesOf(found)))
    }
    const wanted = files.filter(({ namespace }) => this.#isOurs(namespace))
    for (const { namespace, path } of wanted) checked(path, () => checkNamespace(namespace))
    return wanted
  }

  /** Whether a namespace is the app's, by what the configuration leaves out. */
  #isOurs(namespace: string): boolean {
    const { ignoredNamespaces, namespaces } = this.#settings
    return !ignoredNamespaces.includes(namespace) && (namespaces === undefined || namespaces.includes(namespace))
  }

  async #namespacesOf({ language, namespace, path }: Found): Promise<LocalFile[]> {
    if (namespace !== undefined) return [{ language, namespace, path }]
    if (typeof this.layout === 'object') return [{ language, namespace: this.layout.only, path }]
    const document = readDocument(this.#settings.root, path)
    if (!document) return []
    return document.root.members.map(({ name, value, from }) => {
      if (value.kind === 'object') return { language, namespace: name, path }
      throw document.problem('Each member of this file must be a namespace, an object of keys and texts.', from, name)
    })
  }

  async read(
    files: readonly LocalFile[],
    isKnown: (file: LocalFile, bytes: Buffer) => boolean = () => false,
  ): Promise<LocalBundle[]> {
    const { root } = this.#settings
    if (this.layout !== 'merged') {
      return files.map(file => {
        const bytes = readBytes(root, file.path)
        return new ReadBundle(file, present(bytes, file), false, isKnown(file, bytes!))
      })
    }
    const documents = new Map<string, LocaleDocument>()
    return files.map(file => {
      const document = documents.get(file.path) ?? present(readDocument(root, file.path), file)
      documents.set(file.path, document)
      return new ReadBundle(file, document.bytes, true, false, document)
    })
  }

  format(bundles: readonly LocalBundle[]): Format {
    if (this.#settings.keySeparator === false) return 'i18next-json-flat'
    const members = bundles.flatMap(({ resource }) => Object.entries(resource))
    const nests = members.some(([, value]) => typeof value !== 'string')
    const dotted = members.some(([name]) => /[^\s.]\.[^\s.]/.test(name))
    return !nests && dotted ? 'i18next-json-flat' : 'i18next-json'
  }
}

/** A namespace in its file, every text of it checked, now or before. */
class ReadBundle implements LocalBundle {
  readonly file: LocalFile
  readonly bytes: Buffer
  readonly isWhole: boolean
  readonly #known: boolean
  #document: LocaleDocument | undefined
  #resource: Resource | undefined

  constructor(file: LocalFile, bytes: Buffer, merged: boolean, known: boolean, document?: LocaleDocument) {
    this.file = file
    this.bytes = bytes
    this.isWhole = !merged
    this.#known = known
    this.#document = document
    if (!known && this.branch) this.document.check(this.branch)
  }

  get document(): LocaleDocument {
    return (this.#document ??= new LocaleDocument(this.file.path, this.bytes))
  }

  get branch(): Branch | undefined {
    const { root } = this.document
    if (this.isWhole) return root
    const member = root.members.find(({ name }) => name === this.file.namespace)
    return member?.value.kind === 'object' ? member.value : undefined
  }

  get resource(): Resource {
    return (this.#resource ??= this.#known ? (parseResource(this.bytes) as Resource) : this.#parsed())
  }

  #parsed(): Resource {
    const { branch, document } = this
    return branch ? (parseJson(document.text.slice(branch.from, branch.to)) as Resource) : {}
  }

  placeOf(key: string): Position | undefined {
    const { branch, document } = this
    const leaves = branch ? document.leaves(branch) : new Map<string, Leaf>()
    const isPart = (name: string) => name.startsWith(`${key}_`) || name.startsWith(`${key}.`)
    const leaf = leaves.get(key) ?? leaves.get([...leaves.keys()].find(isPart) ?? '')
    return leaf && document.positionOf(leaf.member.from)
  }
}

/** A file of the app; undefined where there is none. @throws Problem naming it */
function readBytes(root: string, path: string): Buffer | undefined {
  try {
    return readFileSync(join(root, path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Problem(`The file cannot be read (${code}).`, { file: path, cause: error })
  }
}

function readDocument(root: string, path: string): LocaleDocument | undefined {
  const bytes = readBytes(root, path)
  return bytes && new LocaleDocument(path, bytes)
}

function present<T>(found: T | undefined, { path }: LocalFile): T {
  if (found !== undefined) return found
  throw new Problem('The file is not there any more.', { file: path })
}

/** A name that the server would refuse is told with the file that has it. */
function checked<T>(file: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof Failure) throw usage(error.message, { file, cause: error })
    throw error
  }
}

function isLanguage(name: string): boolean {
  try {
    return checkLanguage(name) === name
  } catch {
    return false
  }
}
