/** The app of `parlance init`: finds its files and source language, and refuses it before anything is created. */
import type { Format } from '../../bundle/names.ts'
import { INTERPOLATION, type Interpolation, inSyntax } from '../../bundle/placeholders.ts'
import type { ParlanceConfig } from '../config/file.ts'
import type { Context } from '../context.ts'
import { described, isEnglish, type Layout, layoutsOfWords, listed, seenLayouts } from '../local/detect.ts'
import { findI18nextConfig } from '../local/i18next-config.ts'
import { leftOutText } from '../local/left-out.ts'
import { openLocal } from '../local/open.ts'
import type { LeftOut, LocalProject } from '../local/types.ts'
import { usage } from '../problem.ts'

/** The manifest of a project. */
export interface ProjectManifest {
  sourceLanguage: string
  languages: string[]
  defaultFormat: Format
  /** Undefined: i18next's default. */
  interpolation?: Interpolation
}

/** A placeholder in the syntax of an app. */
export const nameIn = (interpolation: Interpolation): string => inSyntax('{{name}}', interpolation)

/** A finding about different placeholders of an app and its project; undefined if they agree. */
export function interpolationDiffers(
  app: Interpolation,
  { interpolation: server = INTERPOLATION }: { interpolation?: Interpolation },
): { says: string; hint: string } | undefined {
  if (app.prefix === server.prefix && app.suffix === server.suffix) return undefined
  return {
    says: `placeholders are ${nameIn(app)} here and ${nameIn(server)} on the server`,
    hint: 'An admin can change the `interpolation` of the project: until then its status finds the wrong problems.',
  }
}

/** An app, and the other folders with locale files. */
export interface OpenedApp {
  local: LocalProject
  others: Layout[]
}

/** Finds the app's files. If none or several layouts are found, it asks for the path. */
export async function openApp(context: Context, root: string, own: ParlanceConfig): Promise<OpenedApp> {
  if (own.output !== undefined || findI18nextConfig(root) !== undefined) {
    return { local: await openLocal(root, own), others: [] }
  }
  const { likely, unlikely, other } = await seenLayouts(root, own.languageNames)
  const { interactive } = context.terminal
  let output = likely.length === 1 ? likely[0]!.output : undefined
  if (likely.length > 1 && interactive) {
    const choices = likely.map(layout => ({ value: layout.output, label: described(layout) }))
    output = await context.ask.select('Which are the files?', choices, '--output')
  }
  if (likely.length === 0 && other === undefined) {
    const { layouts, names } = await layoutsOfWords(root)
    const words = `, but these names may be languages:\n${listed(layouts)}\n`
    const sentence = `No locale files are found in this folder${layouts.length > 0 ? words : '.'}`
    const initial = 'locales/{{language}}/{{namespace}}.json'
    if (!interactive) {
      const config = JSON.stringify({ languageNames: names })
      const hint =
        layouts.length > 0
          ? `If they are, write ${config} into parlance.config.json, and run this again.`
          : `Say where they are: --output '${initial}'.`
      throw usage(sentence, { hint })
    }
    await context.out(`${sentence}\n`)
    output = await context.ask.text('Where are they, or will they be?', '--output', { initial })
  }
  const others = [...likely, ...unlikely].filter(layout => layout.output !== output)
  // Without an output `openLocal` refuses it with the reason.
  return { local: await openLocal(root, likely.length === 1 ? own : { ...own, ...(output && { output }) }), others }
}

/**
 * The app with its source language: that of a config, else of the project, else English, else the only one.
 * @throws Problem (exit 2) without any of these and without a terminal
 */
export async function withSource(
  context: Context,
  local: LocalProject,
  own: ParlanceConfig,
  project: ProjectManifest | undefined,
): Promise<LocalProject> {
  const { languages, sourceLanguage, output, root, origins, configFile } = local
  const isSaid = origins.sourceLanguage !== 'default' || configFile !== undefined
  const reopened = (source: string) =>
    source === sourceLanguage
      ? local
      : openLocal(root, { ...own, output: own.output ?? output, sourceLanguage: source })
  if (isSaid) return local
  if (project && languages.includes(project.sourceLanguage)) return reopened(project.sourceLanguage)
  if (languages.length === 1 || isEnglish(sourceLanguage)) return local
  const question = `Which language is the source of the others: ${languages.join(', ')}?`
  const choices = languages.map(language => ({ value: language, label: language }))
  return reopened(await context.ask.select(question, choices, '--source-language'))
}

/**
 * @param isThere whether the server has the project: an app without texts then gets those of the server
 * @throws Problem (exit 2) for a template without a file, with the layouts on disk
 */
export async function refuseNoFiles(
  { root, output, configFile }: LocalProject,
  bundles: number,
  leftOut: readonly LeftOut[],
  isThere: boolean,
): Promise<void> {
  if (bundles > 0) return
  const { likely, unlikely } = await seenLayouts(root)
  const seen = [...likely, ...unlikely]
  if (isThere && seen.length === 0 && leftOut.length === 0) return
  const left = leftOutText('Left out', leftOut)
  const others = seen.length > 0 ? [`Seen instead:\n${listed(seen)}\n`] : []
  throw usage([`No locale file is at ${output}, so there is nothing to begin with.`, ...others, ...left].join('\n'), {
    ...(configFile && { file: configFile }),
    hint:
      seen.length > 0
        ? `Give --output '${seen[0]!.output}' if that is meant.`
        : 'Extract the keys first, or give --project a project that has texts.',
  })
}
