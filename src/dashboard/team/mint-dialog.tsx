/** Creates a token: its scope and its expiry; then displays the token, once. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MintedToken } from '../api/client.ts'
import { useManifest, useProjects } from '../api/queries.ts'
import { serverAddress } from '../api/server-address.ts'
import { commandLine, curl, gitClone, i18next, shellWord } from '../project/snippets.ts'
import { Button } from '../ui/button.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { focusNow } from '../ui/focus.ts'
import { Notice } from '../ui/notice.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { MintForm } from './mint-form.tsx'

/** Once the token shows it is closed by its buttons alone. */
export function MintDialog({ isForAgent, onClose }: { isForAgent: boolean; onClose: () => void }) {
  const { t } = useTranslation('team')
  const [minted, setMinted] = useState<MintedToken>()
  return (
    <Dialog
      title={minted ? minted.name : isForAgent ? t('newAgentToken') : t('newToken')}
      isOpen
      onClose={onClose}
      wide
      alert={minted !== undefined}
      once={minted !== undefined}
    >
      {minted ? (
        <>
          {/* Not the button: Enter pressed twice would close it unread. */}
          <div ref={focusNow} tabIndex={-1}>
            <Notice kind="warn">{t('shownOnce')}</Notice>
          </div>
          <Snippet label={t('token')} code={minted.key} />
          {isForAgent ? <AgentSnippets token={minted.key} /> : <TokenSnippets token={minted} />}
          <Actions>
            <Button look="primary" onPress={onClose}>
              {t('kept')}
            </Button>
          </Actions>
        </>
      ) : (
        <MintForm isForAgent={isForAgent} onMinted={setMinted} onCancel={onClose} />
      )}
    </Dialog>
  )
}

/** Nothing without a project. The lines for an app never contain a write token, since every visitor could read it. */
function TokenSnippets({ token }: { token: MintedToken }) {
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

const json = (value: object) => JSON.stringify(value, null, 2)

function AgentSnippets({ token }: { token: string }) {
  const { t } = useTranslation('team')
  const base = serverAddress()
  const url = `${base}/api/mcp`
  const authorization = `Bearer ${token}`
  const env = { PARLANCE_URL: base, PARLANCE_TOKEN: token }
  const headers = { Authorization: authorization }
  const http = { type: 'http', url, headers }
  const header = `--header ${shellWord(`Authorization: ${authorization}`)}`
  return (
    <>
      <p className="quiet">{t('agentHint', { address: `${base}/agents.md` })}</p>
      <Snippet label="Claude Code" code={`claude mcp add --transport http parlance ${shellWord(url)} ${header}`} />
      <Snippet
        label="Codex"
        code={`export PARLANCE_TOKEN=${token}\ncodex mcp add parlance --url ${shellWord(url)} --bearer-token-env-var PARLANCE_TOKEN`}
      />
      <Snippet label="Gemini CLI" code={`gemini mcp add --transport http ${header} parlance ${shellWord(url)}`} />
      <Snippet label=".mcp.json, Cursor" code={json({ mcpServers: { parlance: http } })} />
      <Snippet label="VS Code" code={json({ servers: { parlance: http } })} />
      <Snippet label="opencode.json" code={json({ mcp: { parlance: { type: 'remote', url, headers } } })} />
      <Snippet label="stdio" code={json({ mcpServers: { parlance: { command: 'parlance', args: ['mcp'], env } } })} />
    </>
  )
}
