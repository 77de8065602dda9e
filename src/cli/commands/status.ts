/** `parlance status`: prints the progress of each language as a bar and in numbers. Fails below a limit. */
import type { Counts } from '../../bundle/status.ts'
import { type LanguageStatus, readStatus } from '../api/status.ts'
import type { Context, Run } from '../context.ts'
import { faultsIn, withAllFaults } from '../local/faults.ts'
import { leftOutText } from '../local/left-out.ts'
import { configuredApp, openLocal } from '../local/open.ts'
import type { LocalProject } from '../local/types.ts'
import { usage } from '../problem.ts'
import { inColumns } from '../terminal/table.ts'

/** Kinds of keys that a language may fail on. */
const RULES = ['missing', 'empty', 'incomplete', 'stale', 'problems', 'extra'] as const
type Rule = (typeof RULES)[number]

/** The share of a language's keys that may be too small. */
type Share = 'translated' | 'approved'

interface Options {
  language?: string[]
  namespace?: string
  failUnder?: string
  failOn?: Rule[]
  of: Share
}

/** A failure: too little of a language is translated, or it has keys of a given kind. */
interface Failing {
  language: string
  rule: 'under' | Rule
  /** The number of keys; for `under` of those without a translation. */
  keys: number
}

/**
 * With `--json`: `{ project, revision, sourceLanguage, languages, failing: [ { language, rule, keys } ], leftOut: [ {
 * path, reason } ], ignoredKeys: [ { rule, keys } ] }`. `languages` is `[ { language, percent, keys, translated, empty,
 * incomplete, missing, stale, problems, extra, approved, machine, suggested, namespaces } ]`; `percent` is of the share
 * `--of`. The `rule` of `failing` is `under` or a kind of `--fail-on`.
 * Exit code 1 if `failing` is not empty.
 */
export const run: Run<Options> = async (context, { language, namespace, failUnder, failOn: rules = [], of: share }) => {
  const under = failUnder === undefined ? undefined : percentOf(failUnder)
  const project = await context.project()
  const { app, languages: expected } = await appOf(context, project)
  const isPart = Boolean(language ?? namespace)
  const leftOut = isPart || !app ? [] : await withAllFaults(app, () => true, app.leftOut.bind(app))
  // Counts left-out keys. Faults of files are ignored here: `push` and `doctor` report them.
  if (app && !app.ignoredKeys.isEmpty) await faultsIn(app)
  const ignoredKeys = app?.ignoredKeys.counts() ?? []
  const part = { languages: language, namespace, expected }
  const status = await readStatus(await context.api(), project, part)
  const { revision, sourceLanguage } = status
  const failing = status.languages.flatMap(row =>
    failuresOf(row, { under, share: shareIn(row, sourceLanguage, share) }, rules),
  )
  const languages = status.languages.map(({ language, ...row }) => {
    return { language, percent: percent(row, shareIn({ language }, sourceLanguage, share)), ...row }
  })
  await context.print({ project, revision, sourceLanguage, languages, failing, leftOut, ignoredKeys }, () => {
    const head = `${project}, source language ${sourceLanguage}\n`
    const left = [...(app?.ignoredKeys.text('the files') ?? []), ...leftOutText('Not counted', leftOut)]
    const rows = [
      head,
      table(context, status.languages, row => shareIn(row, sourceLanguage, share)),
      ...explained(context, failing, { under, share }),
    ]
    return [...rows, ...(left.length > 0 ? ['', ...left] : [])].join('\n')
  })
  return failing.length === 0 ? 0 : 1
}

/** The app of this folder and its languages, if a config has its paths and the project is its own. */
async function appOf(context: Context, project: string): Promise<{ app?: LocalProject; languages: string[] }> {
  const { config, root } = await context.settings()
  if (config.project !== undefined && config.project !== project) return { languages: [] }
  const isPlaced = config.output !== undefined
  const app = isPlaced ? await openLocal(root.value, config) : await configuredApp(context)
  return app ? { app, languages: app.languages } : { languages: config.languages ?? [] }
}

/** Whole percents, rounded down: 100 is all. */
const percent = ({ keys, ...row }: Counts, share: Share): number =>
  keys === 0 ? 100 : Math.floor((row[share] / keys) * 100)

/** Texts of the source language need no approval. */
const shareIn = ({ language }: { language: string }, sourceLanguage: string, share: Share): Share =>
  language === sourceLanguage ? 'translated' : share

function percentOf(text: string): number {
  const number = Number(text.replace(/ ?%$/, ''))
  if (/^\d/.test(text) && number <= 100) return number
  throw usage(`--fail-under must be a percentage from 0 to 100, not ${JSON.stringify(text)}.`)
}

function failuresOf(
  row: LanguageStatus,
  { under, share }: { under: number | undefined; share: Share },
  rules: Rule[],
): Failing[] {
  const { language, keys } = row
  const failing: Failing[] = []
  if (under !== undefined && row[share] * 100 < under * keys) {
    failing.push({ language, rule: 'under', keys: keys - row[share] })
  }
  for (const rule of rules) if (row[rule] > 0) failing.push({ language, rule, keys: row[rule] })
  return failing
}

function table(
  { terminal: { columns, style } }: Context,
  languages: LanguageStatus[],
  shareOfRow: (row: LanguageStatus) => Share,
): string {
  const width = Math.max(8, Math.min(24, columns - 56))
  const [, ...rows] = inColumns(
    ['', '', '', '', ''],
    languages.map(row => {
      const done = row[shareOfRow(row)]
      const colour = done === row.keys ? 'green' : done * 2 >= row.keys ? 'yellow' : 'red'
      const kinds = RULES.filter(rule => row[rule] > 0).map(rule => `${row[rule]} ${nameOf(rule, row[rule])}`)
      if (row.suggested > 0) kinds.push(`${row.suggested} suggested`)
      const share = `${String(percent(row, shareOfRow(row))).padStart(3)} %`
      return [row.language, style(colour, barOf(row.keys, done, width)), share, `${done}/${row.keys}`, kinds.join(', ')]
    }),
  ).split('\n')
  return rows.join('\n')
}

/** A bar with at least one cell for each non-empty share. */
function barOf(keys: number, done: number, width: number): string {
  const share = keys === 0 ? 1 : done / keys
  const least = done > 0 ? 1 : 0
  const filled = done === keys ? width : Math.min(width - 1, Math.max(least, Math.round(share * width)))
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

const nameOf = (rule: Rule, count: number): string => (rule === 'problems' && count === 1 ? 'problem' : rule)

function explained(
  { terminal: { style } }: Context,
  failing: Failing[],
  asked: { under: number | undefined; share: Share },
): string[] {
  const lines = failing.map(({ language, rule, keys }) => {
    if (rule === 'under') {
      const what = asked.share === 'approved' ? ' approved' : ''
      return `${language} is under ${asked.under} %${what}, by ${keys} of its keys.`
    }
    return `${language} has ${keys} ${nameOf(rule, keys)}.`
  })
  return lines.length === 0 ? [] : ['', ...lines.map(line => `${style('red', 'fails:')} ${line}`)]
}
