/** `parlance whoami`: prints the server, the token, the origin of both, and the projects. */
import { projects as projectsShape, whoami } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import { shownUrl } from '../config/url.ts'
import type { Context, Run } from '../context.ts'

/** The server's answer about a token. Null for members that older servers do not send. */
export interface TokenInfo {
  organization: { id: string; slug: string; name: string } | null
  /** The name of the token. */
  name: string | null
  scope: 'read' | 'add' | 'suggest' | 'write' | null
  /** Slugs of the accessible projects. */
  projects: string[]
  /** Whether the token is limited to these projects. */
  limited: boolean | null
  /** The server's version. */
  version: string | null
}

/** With `--json`: a {@link TokenInfo} with `{ url, origins: { url, token } }`. */
export const run: Run = async context => {
  const { url, token } = await context.settings()
  const api = await context.api()
  const caller = await callerOf(context, api)
  const document = { url: shownUrl(api.url), ...caller, origins: { url: url.origin, token: token.origin } }
  await context.print(document, () => {
    const { organization, name, scope, projects, limited, version } = caller
    const named = name === null ? '' : `${JSON.stringify(name)}, scope ${scope}, `
    return [
      `server        ${document.url}${version === null ? '' : `, version ${version}`} (${url.origin})`,
      ...(organization === null ? [] : [`organization  ${organization.name} (${organization.slug})`]),
      `token         ${named}from ${token.origin}`,
      `projects      ${projects.join(', ') || 'none yet'}${limited ? ' and no others' : ''}`,
    ].join('\n')
  })
}

/** Requests the token's owner. @throws Problem for an unknown token */
export async function callerOf(context: Pick<Context, 'err' | 'version'>, api: Api): Promise<TokenInfo> {
  const who = await api.ask('GET', 'whoami', whoami, { accept: [200, 404] })
  const { json } = await api.ask('GET', 'projects', projectsShape)
  const projects = json.projects.map(({ slug }) => slug)
  if (who.status === 404) {
    const words = `${shownUrl(api.url)} runs an older Parlance than this ${context.version()}, and it does not report the owner of a token.`
    await context.err(`${words}\n`)
    return { organization: null, name: null, scope: null, projects, limited: null, version: null }
  }
  const { organization, name, scope, projects: limits, version } = who.json
  return { organization, name, scope, projects, limited: limits !== undefined, version }
}
