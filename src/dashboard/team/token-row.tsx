/** A token: its scope and its last use. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { revokeToken, type Token } from '../api/client.ts'
import { mayManage, useMember } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Badge } from '../ui/badge.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { isolated } from '../ui/isolated.tsx'
import { When } from '../ui/when.tsx'
import { changeEntry, TOKENS } from './queries.ts'
import { scopeWords } from './scopes.ts'
import styles from './team.module.css'

/** Revoking asks for confirmation: it cannot be undone. */
export function TokenRow({ token }: { token: Token }) {
  const { t, i18n } = useTranslation('team')
  const { who } = useMember()
  const client = useQueryClient()
  const { id, name, scope, projects, start, createdAt, createdBy, lastUsedAt, expiresAt } = token
  const expired = expiresAt !== null && Date.parse(expiresAt) < Date.now()
  const revoke = async () => {
    await changeEntry(client, TOKENS, id, answer(revokeToken({ id })))
    announce(t('revoked', { name }))
  }
  const listed = projects && new Intl.ListFormat(i18n.language).format(projects.map(isolated))
  return (
    <li className={styles.row}>
      <span className={styles.person}>
        <span className={styles.name}>
          <bdi>{name}</bdi> <Badge kind={scope === 'write' ? 'warn' : 'info'}>{scopeWords(scope, t).label}</Badge>
          {expired && <Badge kind="bad">{t('expired')}</Badge>}
        </span>
        <span className={`quiet ${styles.times}`}>
          <code dir="ltr">{start}…</code>
          <span>{listed === undefined ? t('allProjects') : t('onlyProjects', { projects: listed })}</span>
        </span>
        <span className={`quiet ${styles.times}`}>
          <span>
            {lastUsedAt === null ? (
              t('neverUsed')
            ) : (
              <>
                {t('used')} <When date={lastUsedAt} />
              </>
            )}
          </span>
          <span>
            {t('made')} <When date={createdAt} />
            {createdBy && ` (${createdBy.name})`}
          </span>
          <span>
            {expiresAt === null ? (
              t('neverExpires')
            ) : (
              <>
                {t('expires')} <When date={expiresAt} isAhead={!expired} />
              </>
            )}
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
