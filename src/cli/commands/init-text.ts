/** What `parlance init` says of an app before it does anything. */
import { readdirSync } from 'node:fs'
import type { Format } from '../../bundle/names.ts'
import { type Layout, listed } from '../local/detect.ts'
import { leftOutText } from '../local/left-out.ts'
import type { LocalBundle } from '../local/local-bundle.ts'
import type { LeftOut, LocalProject } from '../local/types.ts'
import { counted, shortList } from '../terminal/table.ts'
import { interpolationDiffers, nameIn, type ProjectManifest } from './init-app.ts'

/** What was found, for programs. */
export const summaryOf = (local: LocalProject, bundles: readonly LocalBundle[]) => ({
  output: local.output,
  sourceLanguage: local.sourceLanguage,
  languages: local.languages,
  namespaces: [...new Set(bundles.map(({ file }) => file.namespace))].sort(),
  keySeparator: local.keySeparator,
  nsSeparator: local.nsSeparator,
  ...(local.interpolation && { interpolation: local.interpolation }),
})

/** What was found and what was left out, for people. */
export function foundText(
  local: LocalProject,
  bundles: readonly LocalBundle[],
  leftOut: readonly LeftOut[],
  layouts: readonly Layout[],
): string {
  const { languages, sourceLanguage, configFile, output, keySeparator, nsSeparator } = local
  const shown = (language: string) => {
    const name = local.nameOf(language)
    return name === language ? language : `${language} (${name} on disk)`
  }
  const others = languages.filter(language => language !== sourceLanguage)
  const named = [`${shown(sourceLanguage)} (the source)`, ...others.map(shown)].join(', ')
  const { namespaces } = summaryOf(local, bundles)
  const separator = (text: string | false) => (text === false ? 'none' : JSON.stringify(text))
  return [
    `Found ${configFile ?? output}: ${counted(bundles.length, 'bundle')} of ${named}.`,
    ...(namespaces.length > 0 ? [`Namespaces: ${shortList(namespaces, 20)}.`] : []),
    `Separators: ${separator(keySeparator)} in keys, ${separator(nsSeparator)} behind a namespace.`,
    ...leftOutText('Left out', leftOut),
    ...(layouts.length > 0 ? [`Left out, of other packages, tests or examples:\n${listed(layouts)}`] : []),
  ].join('\n')
}

/** Why an app with dots in its keys gets no flat project; empty for other apps. */
function separatorText({ keySeparator }: LocalProject, format: Format): string {
  if (format === 'i18next-json-flat' || keySeparator === '.' || keySeparator === false) return ''
  return (
    `The keySeparator is ${JSON.stringify(keySeparator)} and the files nest, so that the project is not flat: ` +
    'a new key with a dot in its name nests at the dot, unless the source language has it as one name.\n'
  )
}

/** The config of i18next-cli's predecessor, if neither separator is known from elsewhere; empty without one. */
function parserText({ root, origins }: LocalProject): string {
  const isKnown = origins.keySeparator !== 'default' || origins.nsSeparator !== 'default'
  const file = isKnown ? undefined : readdirSync(root).find(name => /^i18next-parser\.config\.\w+$/.test(name))
  if (file === undefined) return ''
  return `${file} is not read: if it names separators, write "keySeparator" and "nsSeparator" into parlance.config.json.\n`
}

/** The placeholders of the app and of its project; empty if the app does not define them. */
function interpolationText(
  { interpolation, interpolationFault }: LocalProject,
  project: ProjectManifest | undefined,
): string {
  if (interpolationFault) return `Placeholders of the app are not compared: ${interpolationFault}\n`
  if (interpolation === undefined) return ''
  const differs = project && interpolationDiffers(interpolation, project)
  return differs ? `${differs.says}. ${differs.hint}\n` : `Placeholders: ${nameIn(interpolation)}.\n`
}

/** How the app writes keys, plurals and placeholders, where that matters; empty or whole lines. */
export const rulesText = (local: LocalProject, format: Format, project: ProjectManifest | undefined): string =>
  parserText(local) +
  separatorText(local, format) +
  (local.pluralFault ? `${local.pluralFault}\n` : '') +
  interpolationText(local, project)
