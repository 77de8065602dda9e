/** `--print-config`: every setting, its value, and where it comes from; secrets are masked. */
import type { Run } from '../context.ts'
import { inColumns } from '../terminal/table.ts'
import { CONFIG_FILE } from './file.ts'
import { shownUrl } from './url.ts'

/** With `--json`: `{ <setting>: { value, origin } }`. */
export const run: Run = async context => {
  const { root, url, token, project, config } = await context.settings()
  const { $schema: _, url: __, project: ___, ...rest } = config
  const settings: Record<string, { value: unknown; origin: string }> = {
    url: { ...url, value: url.value && shownUrl(url.value) },
    token: { ...token, value: token.value && masked(token.value) },
    project,
    root,
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, { value, origin: CONFIG_FILE }])),
  }
  const document = Object.fromEntries(
    Object.entries(settings).map(([name, { value, origin }]) => [name, { value: value ?? null, origin }]),
  )
  const shown = (value: unknown) =>
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  await context.print(document, () =>
    inColumns(
      ['SETTING', 'VALUE', 'FROM'],
      Object.entries(settings).map(([name, { value, origin }]) => [name, shown(value), origin]),
    ),
  )
}

/** What a token begins with tells it from others; the rest is the secret. */
const masked = (token: string): string => `${token.slice(0, 8)}…`
