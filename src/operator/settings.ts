/** The settings as `--help` lists them. */
import { WIDTH, wrapped } from '../cli/help.ts'
import { settings } from '../settings.ts'

/** A line or more for each, wrapped. */
export function describeSettings(): string {
  const margin = ' '.repeat(Math.max(...Object.keys(settings).map(name => name.length)) + 4)
  return Object.entries(settings)
    .map(([name, { default: otherwise, meaning, form }]) => {
      const about = `${meaning} It is ${form}.${otherwise && ` [default: ${otherwise}]`}`
      return `  ${name}`.padEnd(margin.length) + wrapped(about, WIDTH - margin.length, margin)
    })
    .join('\n')
}
