/** The path aliases (`paths`) of the nearest tsconfig.json. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readRelaxedJson } from './json-source.ts'

/** The paths to try for an import, without file endings. */
export type Aliases = (specifier: string) => string[]

interface CompilerOptions {
  baseUrl?: string
  paths?: Record<string, string[]>
}

/** Maximum depth of `extends`, which may be circular. */
const MAX_EXTENDED = 10

/** The aliases for a folder; none without a readable tsconfig.json. */
export function aliasesFor(folder: string): Aliases {
  const found = findUp(folder, 'tsconfig.json')
  const rules = found ? rulesOf(found, MAX_EXTENDED) : []
  return specifier =>
    rules.flatMap(({ before, after, targets }) => {
      const fits =
        after === undefined
          ? specifier === before
          : specifier.length >= before.length + after.length &&
            specifier.startsWith(before) &&
            specifier.endsWith(after)
      if (!fits) return []
      const middle = specifier.slice(before.length, specifier.length - (after?.length ?? 0))
      return targets.map(target => target.replace('*', () => middle))
    })
}

interface Rule {
  before: string
  /** The part behind the `*`; undefined without one. */
  after: string | undefined
  targets: string[]
}

/** The `paths` of a file, else those of the files that it extends. */
function rulesOf(file: string, left: number): Rule[] {
  const config = read(file)
  const options = config?.compilerOptions
  const base = resolve(dirname(file), options?.baseUrl ?? '.')
  if (options?.paths) {
    return Object.entries(options.paths).map(([pattern, targets]) => {
      const [before = '', after] = pattern.split('*')
      return { before, after, targets: targets.map(target => resolve(base, target)) }
    })
  }
  if (left === 0) return []
  return [config?.extends ?? []].flat().flatMap(name => {
    if (!name.startsWith('.')) return []
    const extended = resolve(dirname(file), name)
    return rulesOf(existsSync(extended) ? extended : `${extended}.json`, left - 1)
  })
}

function read(file: string): { extends?: string | string[]; compilerOptions?: CompilerOptions } | undefined {
  try {
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
    return readRelaxedJson(text) as object
  } catch {
    return undefined
  }
}

function findUp(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, name)
    if (existsSync(file)) return file
    if (dirname(at) === at) return undefined
  }
}
