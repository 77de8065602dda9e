/** The organization's API tokens. */
import { useQueryClient } from '@tanstack/react-query'
import { Bot, KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, serverAddress } from '../api/answer.ts'
import { type MintedToken, mintToken, revokeToken, type Token } from '../api/client.ts'
import { useManifest, useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { commandLine, curl, gitClone, i18next, shellWord } from '../project/snippets.ts'
import { SubmissionForm } from '../sign-in/forms.tsx'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Actions, Dialog, SubmitActions } from '../ui/dialog.tsx'
import { focusNow } from '../ui/focus.ts'
import { TextField, useSubmission } from '../ui/form.tsx'
import { isolated } from '../ui/isolated.tsx'
import { Badge, Notice } from '../ui/notice.tsx'
import { Empty, Loaded } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { When } from '../ui/when.tsx'
import { DEFAULT_DAYS, SCOPES, scopeWords, TOKENS, useEntryChange, useTokens } from './queries.ts'
import styles from './team.module.css'
import { TeamPage } from './team-page.tsx'

/** Members see the list; owners and admins mint and revoke. */
export default function TokensPage() {
  const { t } = useTranslation('team')
  const { who } = useMember()
  const tokens = useTokens()
  const [minting, setMinting] = useState<'app' | 'agent'>()
  const action = mayManage(who) && (
    <>
      <Button icon={<Bot aria-hidden />} onPress={() => setMinting('agent')}>
        {t('forAgent')}
      </Button>
      <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setMinting('app')}>
        {t('newToken')}
      </Button>
    </>
  )
  return (
    <TeamPage title={t('tokens')} lead={t('tokensWhy')} actions={tokens.data?.length !== 0 && action}>
      <Loaded read={tokens}>
        {all =>
          all.length === 0 ? (
            <Empty icon={<KeyRound aria-hidden />} title={t('noTokens')} action={action}>
              {t('noTokensWhy')}
            </Empty>
          ) : (
            <ul className="stack2">
              {all.map(token => (
                <TokenRow key={token.id} token={token} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {minting && <MintDialog isForAgent={minting === 'agent'} onClose={() => setMinting(undefined)} />}
    </TeamPage>
  )
}

/** A token: its scope and its last use. Revoking asks for confirmation: it cannot be undone. */
function TokenRow({ token }: { token: Token }) {
  const { t, i18n } = useTranslation('team')
  const { who } = useMember()
  const change = useEntryChange(TOKENS)
  const { id, name, scope, projects, start, createdAt, createdBy, lastUsedAt, expiresAt } = token
  const expired = expiresAt !== null && Date.parse(expiresAt) < Date.now()
  const listed = projects && new Intl.ListFormat(i18n.language).format(projects.map(isolated))
  const revoke = async () => {
    await change(id, answer(revokeToken({ id })))
    announce(t('revoked', { name }))
  }
  return (
    <li className={styles.row}>
      <span className={styles.person}>
        <span className={`row2 ${styles.name}`}>
          <bdi>{name}</bdi> <Badge kind={scope === 'write' ? 'warn' : 'info'}>{scopeWords(scope, t).label}</Badge>
          {expired && <Badge kind="bad">{t('expired')}</Badge>}
        </span>
        <span className={`quiet ${styles.times}`}>
          <code dir="ltr">{start}…</code>
          <span>{listed === undefined ? t('allProjects') : t('onlyProjects', { projects: listed })}</span>
        </span>
        <span className={`quiet ${styles.times}`}>
          <span>
            {lastUsedAt === null ? t('neverUsed') : t('used')} {lastUsedAt !== null && <When date={lastUsedAt} />}
          </span>
          <span>
            {t('made')} <When date={createdAt} />
            {createdBy && ` (${createdBy.name})`}
          </span>
          <span>
            {expiresAt === null ? t('neverExpires') : t('expires')}{' '}
            {expiresAt !== null && <When date={expiresAt} isAhead={!expired} />}
          </span>
        </span>
      </span>
      {mayManage(who) && (
        <ConfirmButton small look="quiet" words={t('revoke')} aria-label={t('revokeOne', { name })} onConfirm={revoke}>
          <p>{t('revokeWhy')}</p>
        </ConfirmButton>
      )}
    </li>
  )
}

/** In days; the server allows up to ten years. */
const LIVES = ['30', '90', `${DEFAULT_DAYS}`, 'never'] as const

/**
 * Creates a token, then displays it, once. From then on, the dialog is closed by its buttons alone.
 * @param isForAgent offers what an agent needs: suggestions in the first project
 */
function MintDialog({ isForAgent, onClose }: { isForAgent: boolean; onClose: () => void }) {
  const { t } = useTranslation('team')
  const client = useQueryClient()
  const { data: projects = [] } = useProjects()
  const [name, setName] = useState(isForAgent ? 'agent' : '')
  const [scope, setScope] = useState<Token['scope']>(isForAgent ? 'suggest' : 'read')
  const [life, setLife] = useState<(typeof LIVES)[number]>(`${DEFAULT_DAYS}`)
  const [chosen, setOnly] = useState<string[]>()
  const [minted, setMinted] = useState<MintedToken>()
  const only = chosen ?? (isForAgent ? projects.slice(0, 1).map(({ slug }) => slug) : [])
  const form = useSubmission({ faults: { name: name.trim() === '' ? t('common:needsName') : '' } })
  const mint = async () => {
    const limits = {
      ...(only.length > 0 && { projects: only }),
      ...(life !== 'never' && { expiresInDays: Number(life) }),
    }
    setMinted(await answer(mintToken({ newToken: { name: name.trim(), scope, ...limits } })))
    void client.invalidateQueries({ queryKey: TOKENS })
    return t('minted')
  }
  const isOnce = minted !== undefined
  const title = isForAgent ? t('newAgentToken') : t('newToken')
  return (
    <Dialog title={minted?.name ?? title} isOpen onClose={onClose} wide alert={isOnce} once={isOnce}>
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
        <SubmissionForm form={form} onSend={mint}>
          <TextField
            label={t('common:name')}
            hint={t('tokenNameHint')}
            autoComplete="off"
            value={name}
            onChange={setName}
            autoFocus
            error={form.faults.name}
          />
          <Select
            label={t('scope')}
            choices={SCOPES.map(id => ({ id, ...scopeWords(id, t) }))}
            hint={scopeWords(scope, t).note}
            value={scope}
            onChange={setScope}
          />
          <Select
            label={t('life')}
            choices={LIVES.map(id => ({
              id,
              label: id === 'never' ? t('neverExpires') : t('days', { count: Number(id) }),
            }))}
            value={life}
            onChange={setLife}
          />
          {projects.length > 0 && (
            <fieldset>
              <legend className={styles.legend}>{t('whichProjects')}</legend>
              <p className="quiet">{t('whichProjectsHint')}</p>
              <div className={`stack2 ${styles.projects}`}>
                {projects.map(({ slug, name }) => (
                  <Checkbox
                    key={slug}
                    isSelected={only.includes(slug)}
                    onChange={isChosen => setOnly(isChosen ? [...only, slug] : only.filter(one => one !== slug))}
                  >
                    {name} <code>{slug}</code>
                  </Checkbox>
                ))}
              </div>
            </fieldset>
          )}
          <SubmitActions isPending={form.pending} onCancel={onClose}>
            {t('mint')}
          </SubmitActions>
        </SubmissionForm>
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
  const mayWrite = token.scope === 'write'
  return (
    <>
      {!mayWrite && <Snippet label="i18next" code={i18next(used)} />}
      <Snippet label="curl" code={curl(used)} />
      {mayWrite && <Snippet label={t('common:commandLine')} code={commandLine(used)} />}
      {token.projects === undefined && <Snippet label="git" code={gitClone(used)} />}
    </>
  )
}

const json = (value: object) => JSON.stringify(value, null, 2)

function AgentSnippets({ token }: { token: string }) {
  const { t } = useTranslation('team')
  const base = serverAddress()
  const url = `${base}/api/mcp`
  const headers = { Authorization: `Bearer ${token}` }
  const http = { type: 'http', url, headers }
  const env = { PARLANCE_URL: base, PARLANCE_TOKEN: token }
  const word = shellWord(url)
  const header = `--header ${shellWord(`Authorization: Bearer ${token}`)}`
  const codex = `codex mcp add parlance --url ${word} --bearer-token-env-var PARLANCE_TOKEN`
  return (
    <>
      <p className="quiet">{t('agentHint', { address: `${base}/agents.md` })}</p>
      <Snippet label="Claude Code" code={`claude mcp add --transport http parlance ${word} ${header}`} />
      <Snippet label="Codex" code={`export PARLANCE_TOKEN=${token}\n${codex}`} />
      <Snippet label="Gemini CLI" code={`gemini mcp add --transport http ${header} parlance ${word}`} />
      <Snippet label=".mcp.json, Cursor" code={json({ mcpServers: { parlance: http } })} />
      <Snippet label="VS Code" code={json({ servers: { parlance: http } })} />
      <Snippet label="opencode.json" code={json({ mcp: { parlance: { type: 'remote', url, headers } } })} />
      <Snippet label="stdio" code={json({ mcpServers: { parlance: { command: 'parlance', args: ['mcp'], env } } })} />
    </>
  )
}
