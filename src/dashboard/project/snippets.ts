/** How an app gets the texts of a project, as lines to copy. Pure: the tests run them. */

/** The values in the lines. */
export interface SnippetValues {
  /** The server's address, without a slash at the end. */
  base: string
  project: string
  /** The language that texts are written in. */
  source: string
  language: string
  namespace: string
  /** A key of the project, such as `nav.home`. */
  key?: string
  /** An API token, or the placeholder for one. */
  token: string
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

/** i18next that reads over HTTP, with a first text. */
export const i18next = (used: SnippetValues): string => `import i18next from 'i18next'
import HttpBackend from 'i18next-http-backend'

await i18next.use(HttpBackend).init({
  lng: '${used.language}',
  fallbackLng: '${used.source}',
  ns: ['${used.namespace}'],
  defaultNS: '${used.namespace}',
  backend: {
    loadPath: '${bundle(used, '{{lng}}', '{{ns}}')}',
    customHeaders: { 'x-api-key': '${used.token}' },
  },
})
${used.key === undefined ? '' : `console.log(i18next.t(${JSON.stringify(used.key)}))\n`}`

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
