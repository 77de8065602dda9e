/** Reads an app's i18next config, in the form of i18next-cli 1.74. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkInterpolation } from '../../bundle/names.ts'
import { INTERPOLATION, type Interpolation } from '../../bundle/placeholders.ts'
import { I18NEXT_CONFIGS } from '../config/settings.ts'
import { usage } from '../problem.ts'
import { loadModule } from './load-module.ts'
import type { Output } from './template.ts'
import type { ExtractionConfig, Sort } from './types.ts'

/** The fields that concern locale files; undefined where the config leaves them out. */
export interface I18nextConfig {
  /** Relative to the root. */
  file: string
  languages: string[]
  sourceLanguage: string | undefined
  output: Output | undefined
  defaultNamespace: string | false | undefined
  keySeparator: string | false | undefined
  nsSeparator: string | false | undefined
  interpolation: Interpolation | undefined
  /** Why what it says of placeholders cannot be used, in a sentence. */
  interpolationFault: string | undefined
  /** Why Parlance does not know the app's plural forms, in a sentence. */
  pluralFault: string | undefined
  mergeNamespaces: boolean
  ignoredNamespaces: string[]
  sort: Sort | undefined
  indentation: number | string | undefined
  typesOutput: string | undefined
  /** All of it, if it names source files (`extract.input`). */
  extraction: ExtractionConfig | undefined
}

/** The config of a folder, if it has one. */
export const findI18nextConfig = (root: string): string | undefined =>
  I18NEXT_CONFIGS.find(name => existsSync(join(root, name)))

/** Runs a config. @param file relative to the root @throws Problem (exit 2) naming what is wrong in it */
export async function readI18nextConfig(root: string, file: string): Promise<I18nextConfig> {
  const config = await evaluated(root, file)
  const fail = (sentence: string): never => {
    throw usage(sentence, { file })
  }
  const { locales, extract, interpolation, types } = config as Fields
  if (!Array.isArray(locales) || !locales.every(isText) || locales.length === 0)
    return fail('"locales" must be a list of languages, such as ["en", "de"].')
  const read = readerOf(Object(extract), 'extract', fail)
  const format = read('outputFormat', isText, 'a name such as "json"')
  if (format !== undefined && format !== 'json') {
    fail(`"extract.outputFormat" is "${format}"; Parlance writes JSON only: remove the option or set it to "json".`)
  }
  const pluralSeparator = read<string>('pluralSeparator', isText, 'a text') ?? '_'
  const found = interpolationOf(Object(extract), interpolation)
  return {
    file,
    languages: locales,
    sourceLanguage: read('primaryLanguage', isText, 'a language'),
    output: read('output', isOutput, 'a template with {{language}}, or a function'),
    defaultNamespace: read('defaultNS', isTextOrOff, 'a namespace, or false'),
    keySeparator: off(read('keySeparator', isTextOrOff, 'a text, or false')),
    nsSeparator: off(read('nsSeparator', isTextOrOff, 'a text, or false')),
    interpolation: found.value,
    interpolationFault: found.fault,
    pluralFault:
      pluralSeparator === '_'
        ? undefined
        : `The pluralSeparator is ${JSON.stringify(pluralSeparator)}, and Parlance knows "_" only: each form counts as a key of its own.`,
    mergeNamespaces: read<boolean>('mergeNamespaces', value => typeof value === 'boolean', 'true or false') ?? false,
    ignoredNamespaces: read('ignoreNamespaces', isTexts, 'a list of namespaces') ?? [],
    sort: read('sort', isSort, 'true, false, "locize" or a function'),
    indentation: read('indentation', value => typeof value === 'number' || typeof value === 'string', 'spaces'),
    typesOutput: readerOf(Object(types), 'types', fail)('output', isText, 'a path'),
    extraction: Object(extract).input ? (config as ExtractionConfig) : undefined,
  }
}

type Fields = Record<string, unknown>
type Fits = (value: unknown) => boolean

const isText: Fits = value => typeof value === 'string'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isOutput: Fits = value => typeof value === 'string' || typeof value === 'function'
const isSort: Fits = value => typeof value === 'boolean' || value === 'locize' || typeof value === 'function'
const isTextOrOff: Fits = value => typeof value === 'string' || value === false || value === null

/** A config can disable a separator in three ways. */
const off = (value: string | false | null | undefined): string | false | undefined =>
  value === null || value === '' ? false : value

/**
 * The prefix and suffix of placeholders, by i18next's `interpolation` (beside `extract` or in it) or by the flat
 * options of i18next-cli. Empty if the config has neither. `fault` says why Parlance cannot compare them.
 */
function interpolationOf(extract: Fields, beside: unknown): { value?: Interpolation; fault?: string } {
  const options: Fields = { ...Object(extract.interpolation), ...Object(beside) }
  const prefix = options.prefix || unescaped(options.prefixEscaped) || extract.interpolationPrefix
  const suffix = options.suffix || unescaped(options.suffixEscaped) || extract.interpolationSuffix
  const given = [options.prefixEscaped, options.suffixEscaped, prefix, suffix]
  if (!given.some(Boolean)) return {}
  if ((options.prefixEscaped && !prefix) || (options.suffixEscaped && !suffix))
    return { fault: '"interpolation" has a pattern that matches several texts.' }
  try {
    const found = { prefix: prefix || INTERPOLATION.prefix, suffix: suffix || INTERPOLATION.suffix }
    return { value: checkInterpolation(found) ?? INTERPOLATION }
  } catch (error) {
    return { fault: (error as Error).message }
  }
}

/** The text that a pattern matches; undefined for a pattern that matches several. */
function unescaped(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || /\\\w/.test(pattern)) return undefined
  // A brace without a count and a lone closing bracket match themselves.
  const isText = !/[$()*+.?[\\^|]|\{\d+(,\d*)?\}/.test(pattern.replace(/\\./gs, ''))
  return isText ? pattern.replace(/\\(.)/gs, '$1') : undefined
}

/** Reads and checks fields of a section. */
const readerOf =
  (fields: Fields, section: string, fail: (sentence: string) => never) =>
  <T>(name: string, fits: Fits, expected: string): T | undefined => {
    const value = fields[name]
    if (value !== undefined && !fits(value)) fail(`"${section}.${name}" must be ${expected}.`)
    return value as T | undefined
  }

async function evaluated(root: string, file: string): Promise<object> {
  let config: unknown
  try {
    const module = await loadModule(join(root, file))
    config = await module.default
  } catch (error) {
    const { message } = Object(error) as Error
    throw usage(`It cannot be run: ${(message ?? String(error)).split('\n')[0]}.`, { file, cause: error })
  }
  // A module transpiled to CommonJS nests its default export.
  const { __esModule: isTranspiled, default: inner } = Object(config) as Fields
  if (isTranspiled) config = inner
  if (typeof config === 'function') {
    throw usage(
      'Its default export is a function, and i18next-cli needs an object: export the result of the function.',
      {
        file,
      },
    )
  }
  if (config === null || typeof config !== 'object') {
    throw usage('It has no default export; write `export default defineConfig({ … })`.', { file })
  }
  return config
}
