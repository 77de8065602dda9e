/** Opens the app of a folder: by parlance.config.json, else the i18next config, else the files on disk. */
import { checkLanguage, checkNamespace, type Format } from '../../bundle/names.ts'
import type { Context } from '../context.ts'
import { checkUsage, Problem, usage } from '../problem.ts'
import { detectLayout, ordered, refuseOthers } from './detect.ts'
import type { LocaleDocument } from './document.ts'
import { collected, type FaultList } from './fault-list.ts'
import { findI18nextConfig, type I18nextConfig, readI18nextConfig } from './i18next-config.ts'
import { IgnoredKeys } from './ignored-keys.ts'
import type { Member } from './json-source.ts'
import { isLanguageName, LanguageNames } from './language-names.ts'
import { leftOutOf } from './left-out.ts'
import { LocalBundle, type LocalFile, readDocument, readLocalFile } from './local-bundle.ts'
import { filesOf, fill, namesNamespaces, type Output, type TemplateFile } from './template.ts'
import { type LeftOut, type LocalProject, type OwnFields, UNNAMED } from './types.ts'

const OWN = 'parlance.config.json'

/**
 * Opens an app. Runs its i18next config.
 * @param root absolute
 * @throws Problem (exit 2) with a wrong field of a config, or without locale files
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
  const names = new LanguageNames(own.languageNames, OWN)
  const { output, origin } = await outputOf(root, own, config)
  origins.output = origin
  const apart = namesNamespaces(output, origin, 'en') && !(own.mergeNamespaces ?? config?.mergeNamespaces)
  const onDisk = namesOn(root, { output, origin, apart }, names)
  const found = ordered(
    onDisk.filter(name => names.isGiven(name) || isLanguageName(name)),
    name => names.tagOf(name)!,
  )
  const said = choose('languages', config?.languages, found, `found ${String(output)}`)
  const isSaid = said !== found
  const tags = new Map(said.map(name => [names.needTag(name, isSaid ? origins.languages : undefined), name]))
  const isLike = (name: string) => (other: string) => names.tagOf(other) === names.tagOf(name)
  // The config wins over other spellings on disk. Files that were renamed win over our own config.
  const mayMove = origins.languages === OWN
  const isSpelled = (name: string) =>
    onDisk.includes(name) || (names.tagOf(name) !== name && !(mayMove && onDisk.some(isLike(name))))
  const spelled = isSaid ? said.filter(isSpelled) : []
  names.add(spelled, origins.languages)
  names.add(
    onDisk.filter(name => tags.has(names.tagOf(name)!) && !spelled.some(isLike(name))),
    origin === 'found' ? undefined : origin,
  )
  // i18next-cli's default is the first of `locales`. The order of our own `languages` means nothing.
  const usual = config?.languages.find(name => said.includes(name))
  const english = ordered(said, name => names.tagOf(name)!)[0] ?? 'en'
  const first = choose('sourceLanguage', config?.sourceLanguage, usual ?? english)
  const sourceLanguage = names.needTag(first, origins.sourceLanguage)
  const languages = tags.has(sourceLanguage) ? [...tags.keys()] : [sourceLanguage, ...tags.keys()]
  const nsSeparator = choose('nsSeparator', config?.nsSeparator, ':')
  const settings = {
    root,
    configFile,
    output: typeof output === 'string' ? output : 'a function',
    languages,
    sourceLanguage,
    namespaces: choose('namespaces', undefined, undefined),
    defaultNamespace: choose('defaultNamespace', config?.defaultNamespace, UNNAMED),
    keySeparator: choose('keySeparator', config?.keySeparator, '.'),
    nsSeparator,
    interpolation: config?.interpolation,
    interpolationFault: config?.interpolationFault,
    pluralFault: config?.pluralFault,
    mergeNamespaces: choose('mergeNamespaces', config?.mergeNamespaces || undefined, false),
    // Without a config a new key goes beside its neighbour.
    sort: choose('sort', config ? (config.sort ?? true) : undefined, false),
    indentation: choose('indentation', config?.indentation, 2),
    ignoredNamespaces: choose('ignoreNamespaces', config?.ignoredNamespaces, []),
    ignoredKeys: new IgnoredKeys(choose('ignore', undefined, []), nsSeparator),
    typesOutput: config?.typesOutput,
    extraction: config?.extraction,
    origins,
  }
  const where: Where = { output, origin, apart, names }
  const [path, second] = languages.map(language =>
    fill(output, origin, names.nameOf(language), apart ? UNNAMED : undefined),
  )
  if (path === second) {
    throw usage(`${path} would be the file of every language; put {{language}} into the path.`, { file: origin })
  }
  refuseOthers(path!, origin)
  const layout = apart ? 'files' : layoutOf(settings)
  return Object.assign(new Files(settings, where, layout), settings)
}

/**
 * The app of the working folder, if an i18next config describes it. Runs the config.
 * @throws Problem (exit 2) for a wrong one
 */
export async function configuredApp({ settings }: Pick<Context, 'settings'>): Promise<LocalProject | undefined> {
  const { root, config } = await settings()
  return findI18nextConfig(root.value) === undefined ? undefined : openLocal(root.value, config)
}

/** The template and its origin. @throws Problem (exit 2) without locale files */
async function outputOf(
  root: string,
  own: OwnFields,
  config: I18nextConfig | undefined,
): Promise<{ output: Output; origin: string }> {
  if (own.output !== undefined) return { output: own.output, origin: OWN }
  // i18next-cli's default.
  if (config) return { output: config.output ?? 'locales/{{language}}/{{namespace}}.json', origin: config.file }
  const layout = await detectLayout(root, own.languageNames)
  if (layout) return { output: layout.output, origin: 'found' }
  throw usage('No locale files are found in this folder.', {
    hint: `Run \`parlance init\`, or set "output": "locales/{{language}}/{{namespace}}.json" in ${OWN}.`,
  })
}

interface Where {
  output: Output
  /** The file with the template, for messages. */
  origin: string
  /** Whether each namespace is a file. */
  apart: boolean
  names: LanguageNames
}

/** The layout of one file for each language: by the configuration alone. */
const layoutOf = ({ mergeNamespaces, defaultNamespace }: Settings): LocalProject['layout'] =>
  mergeNamespaces && defaultNamespace !== false ? 'merged' : { only: defaultNamespace || UNNAMED }

/** Names on disk that may be languages. */
function namesOn(root: string, where: Omit<Where, 'names'>, names: LanguageNames): string[] {
  if (typeof where.output === 'function') return []
  const found = new Set(filesOf(root, where).map(({ language }) => language))
  return [...found].filter(name => names.tagOf(name) !== undefined)
}

type Settings = Omit<LocalProject, 'layout' | 'pathOf' | 'nameOf' | 'leftOut' | 'find' | 'read' | 'format'>

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
    const { output, origin, apart, names } = this.#where
    checkUsage(() => checkLanguage(language), { file: origin })
    checkUsage(() => checkNamespace(namespace), { file: origin })
    if (typeof this.layout === 'object' && namespace !== this.layout.only) {
      const sentence = `Each language is one file here, for the namespace ${JSON.stringify(this.layout.only)}`
      throw new Problem(`${sentence}; ${JSON.stringify(namespace)} has no place in it.`, {
        file: origin,
        hint: `Set "mergeNamespaces": true in ${OWN} if the members at the top of a file are namespaces. "namespaces" leaves others out.`,
      })
    }
    return fill(output, origin, names.nameOf(language), apart ? namespace : undefined)
  }

  nameOf(language: string): string {
    return this.#where.names.nameOf(language)
  }

  async leftOut(): Promise<LeftOut[]> {
    const { root, languages, origins } = this.#settings
    const paths = new Set((await this.find()).map(({ path }) => path))
    const isOurs = (namespace: string) => this.#isOurs(namespace)
    return leftOutOf(root, { ...this.#where, languages, origin: origins.languages!, paths, isOurs })
  }

  async find(faults?: FaultList): Promise<LocalFile[]> {
    const { root, languages } = this.#settings
    const files: LocalFile[] = []
    for (const language of languages) {
      const found = filesOf(root, { ...this.#where, language: this.nameOf(language) })
      for (const one of found) files.push(...this.#namespacesOf({ ...one, language }, faults))
    }
    const wanted = files.filter(({ namespace }) => this.#isOurs(namespace))
    return wanted.filter(({ namespace, path }) =>
      collected(faults, () => checkUsage(() => checkNamespace(namespace), { file: path }) !== ''),
    )
  }

  /** Whether the configuration includes a namespace. */
  #isOurs(namespace: string): boolean {
    const { ignoredNamespaces, namespaces } = this.#settings
    return !ignoredNamespaces.includes(namespace) && (namespaces === undefined || namespaces.includes(namespace))
  }

  #namespacesOf({ language, namespace, path }: TemplateFile, faults: FaultList | undefined): LocalFile[] {
    if (namespace !== undefined) return [{ language, namespace, path }]
    if (typeof this.layout === 'object') return [{ language, namespace: this.layout.only, path }]
    const document = collected(faults, () => this.#readDocument(path, UNNAMED, faults))
    if (!document) return []
    const isNamespace = ({ name, value, from }: Member) => {
      if (value.kind === 'object') return true
      throw document.problem('Each member of this file must be a namespace, an object of keys and texts.', from, name)
    }
    const ours = document.root.members.filter(({ name }) => this.#isOurs(name))
    const members = ours.filter(member => collected(faults, () => isNamespace(member)))
    return members.map(({ name }) => ({ language, namespace: name, path }))
  }

  async read(
    files: readonly LocalFile[],
    isKnown: (file: LocalFile, bytes: Buffer) => boolean = () => false,
  ): Promise<LocalBundle[]> {
    const { root, ignoredKeys } = this.#settings
    if (this.layout !== 'merged') {
      return files.map(file => {
        const bytes = readLocalFile(root, file.path)
        const known = isKnown(file, bytes!)
        return new LocalBundle(file, present(bytes, file), { known, ignoredKeys, isMerged: false })
      })
    }
    const documents = new Map<string, LocaleDocument>()
    return files.map(file => {
      const document = documents.get(file.path) ?? present(this.#readDocument(file.path, file.namespace), file)
      documents.set(file.path, document)
      return new LocalBundle(file, document.bytes, { known: false, ignoredKeys, isMerged: true }, document)
    })
  }

  #readDocument(path: string, namespace: string, faults?: FaultList): LocaleDocument | undefined {
    return readDocument({ ...this.#settings, layout: this.layout }, { path, namespace }, faults)
  }

  format(bundles: readonly Pick<LocalBundle, 'resource'>[]): Format {
    const members = bundles.flatMap(({ resource }) => Object.entries(resource))
    const { keySeparator } = this.#settings
    const nests = members.some(([, value]) => typeof value !== 'string')
    if (keySeparator === false) return 'i18next-json-flat'
    // In keys of such an app a dot is a usual character.
    if (keySeparator !== '.') return nests ? 'i18next-json' : 'i18next-json-flat'
    const dotted = members.some(([name]) => /[^\s.]\.[^\s.]/.test(name))
    return !nests && dotted ? 'i18next-json-flat' : 'i18next-json'
  }
}

function present<T>(found: T | undefined, { path }: LocalFile): T {
  if (found !== undefined) return found
  throw new Problem('The file no longer exists.', { file: path })
}
