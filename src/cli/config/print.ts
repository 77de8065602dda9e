/** `--print-config`: each setting with its value and origin. Secrets are masked. */
import type { Run } from '../context.ts'
import { openLocal } from '../local/open.ts'
import type { LocalProject } from '../local/types.ts'
import { Problem } from '../problem.ts'
import { inColumns } from '../terminal/table.ts'
import { CONFIG_FILE } from './file.ts'
import type { Settings } from './settings.ts'
import { shownUrl } from './url.ts'

type Printed = Record<string, { value: unknown; origin: string }>

/** With `--json`: `{ <setting>: { value, origin } }`; a missing value is null. */
export const run: Run = async context => {
  const settings = await context.settings()
  const { root, url, token, project } = settings
  const all: Printed = {
    url: { ...url, value: url.value && shownUrl(url.value) },
    token: { ...token, value: token.value && masked(token.value) },
    project,
    root,
    ...(await localSettings(settings)),
  }
  const rows = Object.entries(all)
  const document = Object.fromEntries(rows.map(([name, { value, origin }]) => [name, { value: value ?? null, origin }]))
  await context.print(document, () =>
    inColumns(
      ['SETTING', 'VALUE', 'FROM'],
      rows.map(([name, { value, origin }]) => [name, shown(value), origin]),
    ),
  )
}

/** The settings of the app's files, or the reason why they are unknown. */
async function localSettings({ root, config }: Settings): Promise<Printed> {
  let local: LocalProject
  try {
    local = await openLocal(root.value, config)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { $schema: _, url: __, project: ___, ...said } = config
    const own = Object.entries(said).map(([name, value]) => [name, { value, origin: CONFIG_FILE }])
    return { ...Object.fromEntries(own), files: { value: undefined, origin: error.sentence } }
  }
  const { origins, ...values } = local as LocalProject & Record<string, unknown>
  const named: Record<string, unknown> = {
    ...values,
    ...config,
    ignoreNamespaces: local.ignoredNamespaces,
    ignore: local.ignoredKeys.rules,
  }
  return Object.fromEntries(Object.entries(origins).map(([name, origin]) => [name, { value: named[name], origin }]))
}

function shown(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'function') return '(a function)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The beginning identifies a token; the rest is secret. */
const masked = (token: string): string => `${token.slice(0, 8)}…`
