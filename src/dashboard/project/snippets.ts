/** How an app gets the texts of a project, as lines to copy. Pure: the tests run them. */
import type { Interpolation } from '../../bundle/placeholders.ts'

export interface SnippetValues {
  /** The server's address, without a slash at the end. */
  base: string
  project: string
  source: string
  language: string
  namespace: string
  /** A key of the project, such as `nav.home`. */
  key?: string
  /** An API token, or the placeholder for one. */
  token: string
  /** Of the variables in the text of `key`. */
  values?: Readonly<Record<string, unknown>>
  /** Whether the dots of a key are part of its name. */
  isFlat?: boolean
  interpolation?: Interpolation | undefined
}

/**
 * A word for every shell, quoted if one of them would expand it. zsh expands `?` in addresses and the brackets of
 * IPv6 addresses as patterns.
 */
export const shellWord = (word: string): string =>
  /^[\w%+,./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** The placeholder for a token. */
export const NO_TOKEN = '<API token>'

const bundle = ({ base, project }: SnippetValues, language: string, namespace: string) =>
  `${base}/api/projects/${project}/bundles/${language}/${namespace}`

/** One namespace in one language. */
export const curl = (used: SnippetValues): string =>
  `curl -H 'x-api-key: ${used.token}' ${shellWord(bundle(used, used.language, used.namespace))}`

/** A literal of JavaScript in single quotes. */
const literal = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const valueLiteral = (value: unknown): string => {
  if (value instanceof Date) return `new Date(${literal(value.toISOString())})`
  if (Array.isArray(value)) return `[${value.map(valueLiteral).join(', ')}]`
  return typeof value === 'string' ? literal(value) : String(value)
}

/** `{ name: 'Ann', user: { mail: 'ann@example.com' } }`: a dot in the name of a variable is a path. */
function objectLiteral(values: Readonly<Record<string, unknown>>): string {
  const groups = Map.groupBy(Object.entries(values), ([name]) => name.split('.', 1)[0]!)
  const members = [...groups].map(([first, entries]) => {
    const own = entries.find(([name]) => name === first)
    const below = Object.fromEntries(entries.map(([name, value]) => [name.slice(first.length + 1), value]))
    const name = /^[A-Za-z_$][\w$]*$/.test(first) ? first : literal(first)
    return `${name}: ${own ? valueLiteral(own[1]) : objectLiteral(below)}`
  })
  return `{ ${members.join(', ')} }`
}

const firstText = ({ key, values = {} }: SnippetValues): string => {
  if (key === undefined) return ''
  const more = Object.keys(values).length === 0 ? '' : `, ${objectLiteral(values)}`
  return `console.log(i18next.t(${literal(key)}${more}))\n`
}

/** The project's own options of i18next. */
const ownOptions = ({ isFlat = false, interpolation }: SnippetValues): string => {
  const flat = isFlat ? '  keySeparator: false,\n' : ''
  if (interpolation === undefined) return flat
  const { prefix, suffix } = interpolation
  return `${flat}  interpolation: { prefix: ${literal(prefix)}, suffix: ${literal(suffix)} },\n`
}

/** i18next that reads over HTTP, with the packages that it needs and a first text. */
export const i18next = (used: SnippetValues): string => `// npm install i18next i18next-http-backend
import i18next from 'i18next'
import HttpBackend from 'i18next-http-backend'

await i18next.use(HttpBackend).init({
  lng: '${used.language}',
  fallbackLng: '${used.source}',
  ns: ['${used.namespace}'],
  defaultNS: '${used.namespace}',
${ownOptions(used)}  backend: {
    loadPath: ${literal(bundle(used, '{{lng}}', '{{ns}}'))},
    customHeaders: { 'x-api-key': '${used.token}' },
  },
})
${firstText(used)}`

/** The developers' CLI: downloaded from the server, given the token, and run in the folder of the app. */
export const commandLine = ({ base, token, project }: Pick<SnippetValues, 'base' | 'token' | 'project'>): string => {
  const url = shellWord(base)
  return `curl -o parlance.mjs ${shellWord(`${base}/cli`)}
printf %s '${token}' | node parlance.mjs login --url ${url} --token-stdin
node parlance.mjs init --url ${url} --project ${project}
`
}

/** All projects of the organization with their history. The token follows no redirect to another server. */
export const gitClone = ({ base, token }: SnippetValues): string =>
  `git -c http.extraHeader='x-api-key: ${token}' -c http.followRedirects=false clone ${shellWord(`${base}/api/translations.git`)}`
