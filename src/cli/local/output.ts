/** Where the locale files of an app are, and what says so. */
import { usage } from '../problem.ts'
import { detectLayout } from './detect.ts'
import type { I18nextConfig } from './i18next-config.ts'
import type { Output } from './template.ts'
import type { OwnFields } from './types.ts'

/** The config of our own. */
export const OWN = 'parlance.config.json'

/** @param config the i18next config, undefined without one @throws Problem (exit 2) where nothing says it */
export async function outputOf(
  root: string,
  own: OwnFields,
  config: I18nextConfig | undefined,
): Promise<{ output: Output; origin: string }> {
  if (own.output !== undefined) return { output: own.output, origin: OWN }
  // i18next-cli's own, where a config has none.
  if (config) return { output: config.output ?? 'locales/{{language}}/{{namespace}}.json', origin: config.file }
  const layout = await detectLayout(root, own.languageNames)
  if (layout) return { output: layout.output, origin: 'found' }
  throw usage('No locale files are found in this folder.', {
    hint: `Run \`parlance init\`, or say where they are: "output": "locales/{{language}}/{{namespace}}.json" in ${OWN}.`,
  })
}
