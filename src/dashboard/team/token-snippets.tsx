/** How a new token is used, with the names of a project that it reaches. */
import { useTranslation } from 'react-i18next'
import type { MintedToken } from '../api/client.ts'
import { useManifest, useProjects } from '../api/queries.ts'
import { serverAddress } from '../api/server-address.ts'
import { commandLine, curl, gitClone, i18next } from '../project/snippets.ts'
import { Snippet } from '../ui/snippet.tsx'

/** Nothing where there is no project yet. A token that may write is never put into an app, where everybody can read it. */
export function TokenSnippets({ token }: { token: MintedToken }) {
  const projects = useProjects()
  const slug = token.projects?.[0] ?? projects.data?.[0]?.slug
  return slug === undefined ? null : <OfProject token={token} slug={slug} />
}

function OfProject({ token, slug }: { token: MintedToken; slug: string }) {
  const { t } = useTranslation('team')
  const { data: manifest } = useManifest(slug)
  if (!manifest) return null
  const source = manifest.sourceLanguage
  const used = {
    base: serverAddress(),
    project: slug,
    source,
    language: manifest.languages.find(language => language !== source) ?? source,
    namespace: manifest.namespaces[0] ?? 'common',
    token: token.key,
  }
  return (
    <>
      {token.scope !== 'write' && <Snippet label="i18next" code={i18next(used)} />}
      <Snippet label="curl" code={curl(used)} />
      {token.scope === 'write' && <Snippet label={t('common:commandLine')} code={commandLine(used)} />}
      {token.projects === undefined && <Snippet label="git" code={gitClone(used)} />}
    </>
  )
}
