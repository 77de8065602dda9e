/** How an agent connects: the lines for its config, with the token in them. */
import { useTranslation } from 'react-i18next'
import { serverAddress } from '../api/server-address.ts'
import { shellWord } from '../project/snippets.ts'
import { Snippet } from '../ui/snippet.tsx'

const json = (value: object) => JSON.stringify(value, null, 2)

export function AgentSnippets({ token }: { token: string }) {
  const { t } = useTranslation('team')
  const base = serverAddress()
  const url = `${base}/api/mcp`
  const authorization = `Bearer ${token}`
  const env = { PARLANCE_URL: base, PARLANCE_TOKEN: token }
  const http = { type: 'http', url, headers: { Authorization: authorization } }
  return (
    <>
      <p className="quiet">{t('agentHint', { address: `${base}/agents.md` })}</p>
      <Snippet label="HTTP (.mcp.json, Cursor)" code={json({ mcpServers: { parlance: http } })} />
      <Snippet label="HTTP (VS Code)" code={json({ servers: { parlance: http } })} />
      <Snippet
        label="HTTP (Claude Code)"
        code={`claude mcp add --transport http parlance ${shellWord(url)} --header 'Authorization: ${authorization}'`}
      />
      <Snippet label="stdio" code={json({ mcpServers: { parlance: { command: 'parlance', args: ['mcp'], env } } })} />
    </>
  )
}
