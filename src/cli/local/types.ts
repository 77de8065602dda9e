/** What the app's own files are to the commands: a project on this machine, its locale files, and what one holds. */
import type { Format } from '../../bundle/names.ts'
import type { Interpolation } from '../../bundle/placeholders.ts'
import type { LocaleDocument } from './document.ts'
import type { FaultList } from './fault-list.ts'
import type { IgnoredKeys } from './ignored-keys.ts'
import type { Branch, Position } from './json-source.ts'

/** i18next's resource: keys and texts, nested or not, as `JSON.parse` gives it. */
export type Resource = { [member: string]: unknown }

/**
 * Where a project puts a new key among its neighbours: i18next-cli's `sort`. `true` ignores case and keeps plural forms
 * in CLDR's order, `'locize'` is by code units, a function is the project's own; `false` is behind the nearest neighbour
 * of the server's order. In an object that is not in the order, a renamed key keeps its place.
 */
export type Sort = boolean | 'locize' | ((a: { key: string }, b: { key: string }) => number)

/** A namespace of a language on this machine. Several may share a path, where namespaces are merged. */
export interface LocalFile {
  language: string
  namespace: string
  /** Relative to the root, with `/`. */
  path: string
}

/** A file beside the app's own that no command reads or writes. */
export interface LeftOut {
  /** Relative to the root, with `/`. */
  path: string
  /** A sentence. */
  reason: string
  /** Of a language that the app does not name: its tag. */
  language?: string
}

/** What a locale file holds for its namespace. */
export interface LocalBundle {
  file: LocalFile
  /** The whole file's. */
  bytes: Buffer
  /** Whether that is all of the file. */
  isWhole: boolean
  /** The file, and what of it is this namespace's: undefined when it has nothing of it. */
  readonly document: LocaleDocument
  readonly branch: Branch | undefined
  /** All its leaves are strings; each key stands once. Keys that rules leave out are not in it. */
  readonly resource: Resource
  /** Where a key stands: a leaf (`item_one`, `list.0`), or the first form of a plural; undefined for none. */
  placeOf(key: string): Position | undefined
}

/** What `parlance.config.json` says of the app's own files: it wins over the i18next config. */
export interface OwnFields {
  languages?: string[]
  /** Tags by the names that files have on disk, for those that are neither tags nor tags with `_`. */
  languageNames?: Record<string, string>
  sourceLanguage?: string
  namespaces?: string[]
  defaultNamespace?: string | false
  ignoreNamespaces?: string[]
  /** Keys that are left out: `namespace:key`, or a key of any namespace; `*` at the end stands for any ending. */
  ignore?: string[]
  /** A template with `{{language}}` and `{{namespace}}`. */
  output?: string
  keySeparator?: string | false
  nsSeparator?: string | false
  /** Where each language is one file: whether its members are namespaces. */
  mergeNamespaces?: boolean
  sort?: boolean | 'locize'
  indentation?: number | string
}

/** i18next's name for a namespace that has none. */
export const UNNAMED = 'translation'

/** The app's own files. */
export interface LocalProject {
  /** Absolute. */
  root: string
  /** The i18next config, relative to the root; undefined without one. */
  configFile: string | undefined
  /** Where the files are: the template, or for a function a word that it is one. */
  output: string
  languages: string[]
  sourceLanguage: string
  /** Those that parlance.config.json limits the app to; undefined: all. */
  namespaces: string[] | undefined
  /** False: the app has one namespace without a name; on the server it is {@link UNNAMED}. */
  defaultNamespace: string | false
  keySeparator: string | false
  nsSeparator: string | false
  /** What the i18next config says to stand around placeholders; undefined where it does not say. */
  interpolation: Interpolation | undefined
  /** Why what the config says of placeholders cannot be used, in a sentence. */
  interpolationFault: string | undefined
  /** Whether one file holds all namespaces of a language. */
  mergeNamespaces: boolean
  sort: Sort
  /** As `JSON.stringify` takes it. */
  indentation: number | string
  /**
   * Where the namespaces of a language are: a file each; one file with an object for each (`merged`); or one file that is
   * the only namespace.
   */
  layout: 'files' | 'merged' | { only: string }
  ignoredNamespaces: string[]
  ignoredKeys: IgnoredKeys
  /** Where i18next-cli writes its types, which no other command may. Relative to the root. */
  typesOutput: string | undefined
  /** Where each value comes from: `i18next.config.ts`, `parlance.config.json`, `found locales/…`, `default`. */
  origins: Record<string, string>
  /** The file of a namespace, there or not: relative to the root, with `/`. @throws Problem for names that fit no file */
  pathOf(language: string, namespace: string): string
  /** Locale files that are none of the app's, as far as a template tells. */
  leftOut(): Promise<LeftOut[]>
  /** How a language is written on disk: `zh_CN` for `zh-CN`. */
  nameOf(language: string): string
  /**
   * The files that are there, by language and namespace.
   * @param faults collects what would otherwise be thrown; a file with such a fault is left out
   * @throws Problem for a name that the server cannot take
   */
  find(faults?: FaultList): Promise<LocalFile[]>
  /**
   * @param isKnown whether bytes that are a namespace are known to be i18next JSON, and need not be looked into
   * @throws Problem with file, line and column for what is no i18next JSON
   */
  read(files: readonly LocalFile[], isKnown?: (file: LocalFile, bytes: Buffer) => boolean): Promise<LocalBundle[]>
  /** The server's format that fits the files. @param bundles those of the source language, as read */
  format(bundles: readonly Pick<LocalBundle, 'resource'>[]): Format
}

/** What a namespace of a language should hold. */
export interface Change {
  file: LocalFile
  /** As read; undefined when there is no file. */
  local: LocalBundle | undefined
  wanted: Resource
}

/** A file to write: null removes it. */
export interface FileContent {
  /** Relative to the root, with `/`. */
  path: string
  bytes: Uint8Array | null
}
