/** The app's own files: a project on this machine, its locale files and their bundles. */
import type { Format } from '../../bundle/names.ts'
import type { Interpolation } from '../../bundle/placeholders.ts'
import type { FaultList } from './fault-list.ts'
import type { IgnoredKeys } from './ignored-keys.ts'
import type { LocalBundle, LocalFile, Resource } from './local-bundle.ts'

/**
 * The order of new keys: i18next-cli's `sort`. `true` ignores case and has plural forms in CLDR's order. `'locize'` is
 * by code units. `false` puts a new key behind its nearest neighbour in the server's order. In an object with another
 * order, a renamed key retains its place.
 */
export type Sort = boolean | 'locize' | ((a: { key: string }, b: { key: string }) => number)

/** A file that no command reads or writes. */
export interface LeftOut {
  /** Relative to the root, with `/`. */
  path: string
  /** A sentence. */
  reason: string
  /** The tag of a language that the app does not name. */
  language?: string
}

/** The fields of `parlance.config.json` about the app's files. They win over the i18next config. */
export interface OwnFields {
  languages?: string[]
  /** Tags by names on disk, for names that are neither tags nor tags with `_`. */
  languageNames?: Record<string, string>
  sourceLanguage?: string
  namespaces?: string[]
  defaultNamespace?: string | false
  ignoreNamespaces?: string[]
  /** Rules for left-out keys: `namespace:key`, or a key of any namespace. `*` at the end is any ending. */
  ignore?: string[]
  /** A template with `{{language}}` and `{{namespace}}`. */
  output?: string
  keySeparator?: string | false
  nsSeparator?: string | false
  /** Whether the members of a language's single file are namespaces. */
  mergeNamespaces?: boolean
  sort?: boolean | 'locize'
  indentation?: number | string
}

/** i18next's name for the only namespace of an app. */
export const UNNAMED = 'translation'

/** The part of an i18next config that i18next-cli reads to find keys in the code. */
export interface ExtractionConfig {
  extract: Record<string, unknown>
  plugins?: unknown
}

/** The app's own files. */
export interface LocalProject {
  /** Absolute. */
  root: string
  /** The i18next config, relative to the root; undefined without one. */
  configFile: string | undefined
  /** The template, or `a function`. */
  output: string
  languages: string[]
  sourceLanguage: string
  /** The limit of parlance.config.json; undefined: all. */
  namespaces: string[] | undefined
  /** False if the app has one namespace without a name, which is {@link UNNAMED} on the server. */
  defaultNamespace: string | false
  keySeparator: string | false
  nsSeparator: string | false
  /** Prefix and suffix of placeholders by the i18next config; undefined without one. */
  interpolation: Interpolation | undefined
  /** Why Parlance cannot use the placeholders of the config, as a sentence. */
  interpolationFault: string | undefined
  /** Why Parlance does not know the plural forms of the app, as a sentence. */
  pluralFault: string | undefined
  /** Whether one file holds all namespaces of a language. */
  mergeNamespaces: boolean
  sort: Sort
  /** As for `JSON.stringify`. */
  indentation: number | string
  /**
   * The place of a language's namespaces: a file for each; one file with an object for each (`merged`); or one file for
   * the only namespace.
   */
  layout: 'files' | 'merged' | { only: string }
  ignoredNamespaces: string[]
  ignoredKeys: IgnoredKeys
  /** The file where i18next-cli writes its types, relative to the root. */
  typesOutput: string | undefined
  /** The i18next config, if it names source files. */
  extraction: ExtractionConfig | undefined
  /** The origin of each value: `i18next.config.ts`, `parlance.config.json`, `found locales/…`, `default`. */
  origins: Record<string, string>
  /** The path of a namespace, relative to the root, with `/`. @throws Problem for a name without a file */
  pathOf(language: string, namespace: string): string
  /** The left-out locale files; none for a function as template. */
  leftOut(): Promise<LeftOut[]>
  /** The name of a language on disk: `zh_CN` for `zh-CN`. */
  nameOf(language: string): string
  /**
   * The present files, by language and namespace.
   * @param faults collects problems instead of throwing them, and their files are left out
   * @throws Problem for a name that the server would refuse
   */
  find(faults?: FaultList): Promise<LocalFile[]>
  /**
   * @param isKnown whether bytes are known to be valid i18next JSON, and need no check
   * @throws Problem with file, line and column for invalid i18next JSON
   */
  read(files: readonly LocalFile[], isKnown?: (file: LocalFile, bytes: Buffer) => boolean): Promise<LocalBundle[]>
  /** The server's format for the files. @param bundles those of the source language */
  format(bundles: readonly Pick<LocalBundle, 'resource'>[]): Format
}

/** The wanted texts of a namespace. */
export interface Change {
  file: LocalFile
  /** Undefined without a file. */
  local: LocalBundle | undefined
  wanted: Resource
}

/** A file to write: null removes it. */
export interface FileContent {
  /** Relative to the root, with `/`. */
  path: string
  bytes: Uint8Array | null
}
