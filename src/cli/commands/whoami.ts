/** `parlance whoami`: which server, which token, where both come from, and what is reached with them. */
import type { Api } from '../api/client.ts'
import { shownUrl } from '../config/url.ts'
import type { Run } from '../context.ts'

/** With `--json`: `{ url, projects: [slug], origins: { url, token } }`. */
export const run: Run = async context => {
  const { url, token } = await context.settings()
  const api = await context.api()
  const projects = await reachOf(api)
  const document = { url: shownUrl(api.url), projects, origins: { url: url.origin, token: token.origin } }
  await context.print(document, () =>
    [
      `server    ${document.url} (${url.origin})`,
      `token     from ${token.origin}`,
      `projects  ${projects.join(', ') || 'none yet'}`,
    ].join('\n'),
  )
}

/** The slugs of the projects that a token reaches. @throws Problem when the server does not know the token */
export async function reachOf(api: Api): Promise<string[]> {
  const { json } = await api.ask('GET', 'projects')
  return json.projects.map(({ slug }: { slug: string }) => slug)
}
