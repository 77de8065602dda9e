/**
 * Runs an app's configuration, a module in TypeScript or JavaScript, in this process. Node strips the types. Hooks add
 * the further habits of TypeScript projects:
 * - enums and namespaces, and types that are imported like values
 * - imports without a file ending, or with `.js` for a `.ts` file
 * - aliases of tsconfig.json, JSON files, `__dirname` and `require` beside `import`
 *
 * A stand-in replaces i18next-cli, which needs 300 ms to load.
 *
 * Measured on Node 24.21 with 30 configs: 50 to 110 ms and 14 KB. i18next-cli's own loader, jiti 2.7, needs 150 to 250
 * ms and 1.7 MB. Only jiti imports names of a CommonJS file in a package of type `module`. Neither runs `.tsx`.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { hideNodeWarnings } from '../node-warnings.ts'
import { aliasesFor } from './tsconfig.ts'

/** The package that configs import from. */
const TOOL = 'i18next-cli'
const STAND_IN = `parlance:${TOOL}`
const STAND_IN_SOURCE = 'export const defineConfig = config => config'

const TYPESCRIPT = /\.[cm]?ts$/
const ENDINGS = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js', '/index.json']

/**
 * Loads a module. Its output goes to standard error.
 * @throws any error of the module or its imports
 */
export async function loadModule(file: string): Promise<Record<string, unknown>> {
  const restore = redirectOutput()
  try {
    return await importWith(file, true)
  } catch (error) {
    // The config imports more than `defineConfig`, and so needs the package itself.
    if (!(error instanceof SyntaxError && error.message.includes(`'${TOOL}'`))) throw error
    return await importWith(file, false)
  } finally {
    restore()
  }
}

/** Number of loads. Node caches modules by address, and each load needs a new one. */
let loads = 0

async function importWith(file: string, standsIn: boolean): Promise<Record<string, unknown>> {
  const hooks = registerHooks(hooksFor(file, standsIn))
  try {
    const url = pathToFileURL(file)
    url.search = `?load=${++loads}`
    return (await import(url.href)) as Record<string, unknown>
  } finally {
    hooks.deregister()
  }
}

type Hooks = Required<Parameters<typeof registerHooks>[0]>

/** The hooks for a config. @param standsIn whether the stand-in replaces i18next-cli */
function hooksFor(file: string, standsIn: boolean): Hooks {
  const aliases = aliasesFor(dirname(file))
  return {
    resolve(specifier, context, next) {
      const parent = context.parentURL ?? ''
      if (!parent.startsWith('file:') || parent.includes('/node_modules/')) return next(specifier, context)
      if (standsIn && specifier === TOOL) return { url: STAND_IN, format: 'module', shortCircuit: true }
      const isRelative = /^\.{1,2}(?:\/|$)/.test(specifier)
      const paths = [...aliases(specifier), ...(isRelative ? [fileURLToPath(new URL(specifier, parent))] : [])]
      const path = paths.map(onDisk).find(found => found !== undefined)
      return path === undefined ? next(specifier, context) : { url: pathToFileURL(path).href, shortCircuit: true }
    },
    load(url, context, next) {
      if (url === STAND_IN) return { format: 'module', source: STAND_IN_SOURCE, shortCircuit: true }
      if (!url.startsWith('file:') || url.includes('/node_modules/')) return next(url, context)
      const path = fileURLToPath(url)
      if (path.endsWith('.json') && context.importAttributes && !context.importAttributes.type) {
        return { format: 'module', source: moduleOfJson(readFileSync(path, 'utf8')), shortCircuit: true }
      }
      if (!TYPESCRIPT.test(path)) return next(url, context)
      return { format: 'module', source: javaScriptOf(path), shortCircuit: true }
    },
  }
}

/** The file of a path without an ending, or with the ending of its output. */
function onDisk(path: string): string | undefined {
  const candidates = [path, path.replace(/\.([cm]?)js$/, '.$1ts'), ...ENDINGS.map(ending => path + ending)]
  return candidates.find(candidate => existsSync(candidate) && statSync(candidate).isFile())
}

/** A TypeScript file as a module. A value of `module.exports` becomes its default export. */
function javaScriptOf(path: string): string {
  const source = withoutTypeImports(stripTypeScriptTypes(readFileSync(path, 'utf8'), { mode: 'transform' }))
  const isModule = path.endsWith('.mts') || /^\s*(?:import|export)\b[^(]/m.test(source)
  if (isModule && !path.endsWith('.cts')) return shims(source) + source
  const before = `${shims(source)}const module = { exports: {} }; let { exports } = module;`
  return `${before}${source}\n;const result = module.exports;export { result as default, result as 'module.exports' }`
}

/** A JSON file as a module with its members as further exports. */
function moduleOfJson(text: string): string {
  const names = Object.keys(Object(JSON.parse(text))).filter(name => name !== 'default')
  const members = names.map((name, at) => `const m${at} = all[${JSON.stringify(name)}]`)
  const exported = names.map((name, at) => `m${at} as ${JSON.stringify(name)}`)
  return `const all = ${text};${members.join(';')};export { all as default, ${exported.join(', ')} }`
}

/**
 * Removes unused names of imports: they are types, which do not exist at run time. A default import is never removed.
 */
function withoutTypeImports(source: string): string {
  return source.replace(/^(\s*import\b[^{};'"]*)\{([^}]*)\}(\s*from\b)/gm, (whole, before, names: string, after) => {
    const used = names.split(',').filter(name => {
      const local = name
        .trim()
        .split(/\s+as\s+/)
        .at(-1)!
      return local !== '' && occursTwice(source, local)
    })
    return names.trim() === '' ? whole : `${before}{${used.join(',')}}${after}`
  })
}

const occursTwice = (source: string, name: string): boolean =>
  source.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length > 2

/** Definitions of CommonJS names that a module uses without declaring them. */
function shims(source: string): string {
  const uses = (name: string) =>
    new RegExp(`(?<![\\w$.])${name}(?![\\w$])`).test(source) &&
    !new RegExp(`\\b(?:const|let|var|function)\\s[^=;]*\\b${name}\\b`).test(source)
  let shims = ''
  if (uses('__dirname')) shims += 'const __dirname = import.meta.dirname;'
  if (uses('__filename')) shims += 'const __filename = import.meta.filename;'
  if (uses('require')) shims += 'const require = process.getBuiltinModule("module").createRequire(import.meta.url);'
  return shims
}

/** Moves output to standard error, and hides Node's warnings. @returns a function that ends this */
function redirectOutput(): () => void {
  const { log, info, debug } = console
  console.log = console.info = console.debug = console.error
  const showWarnings = hideNodeWarnings()
  return () => {
    Object.assign(console, { log, info, debug })
    showWarnings()
  }
}
