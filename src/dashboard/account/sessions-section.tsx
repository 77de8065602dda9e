/** Where the account is signed in. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getSession, listSessions, revokeOtherSessions, revokeSession } from '../api/client.ts'
import styles from '../team/team.module.css'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Wrong } from '../ui/form.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { Loaded } from '../ui/state.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { When } from '../ui/when.tsx'
import { deviceOf } from './device-of.ts'

/** Key of the query of the user's sessions. */
export const SESSIONS = ['sessions'] as const

async function sessions() {
  const [all, present] = await Promise.all([answer(listSessions()), answer(getSession({}))])
  return all
    .map(session => ({ ...session, isHere: session.id === present?.session.id }))
    .sort((one, other) => Number(other.isHere) - Number(one.isHere))
}

/** One, or all others, can be ended. */
export function SessionsSection() {
  const { t } = useTranslation('account')
  const client = useQueryClient()
  const read = useQuery({ queryKey: SESSIONS, queryFn: sessions })
  const { pending, problem, send } = useSubmission()
  const end = (work: () => Promise<unknown>) =>
    send(async () => {
      await work()
      await client.invalidateQueries({ queryKey: SESSIONS })
      return t('sessionEnded')
    })
  const others = (read.data ?? []).filter(({ isHere }) => !isHere)
  return (
    <SettingsSection
      title={t('sessions')}
      actions={
        others.length > 0 && (
          <Button small isDisabled={pending} onPress={() => void end(() => answer(revokeOtherSessions()))}>
            {t('endOthers')}
          </Button>
        )
      }
    >
      <Wrong problem={problem} />
      <Loaded read={read} lines={2}>
        {all => (
          <ul className="rows">
            {all.map(({ id, token, userAgent, ipAddress, createdAt, isHere }) => {
              const device = deviceOf(userAgent ?? '') || t('unknownDevice')
              return (
                <li key={id} className={styles.row}>
                  <span className={styles.person}>
                    <span className={styles.name}>
                      {device} {isHere && <Badge kind="good">{t('thisSession')}</Badge>}
                    </span>
                    <span className={`quiet ${styles.times}`}>
                      {ipAddress && <code>{ipAddress}</code>}
                      <span>
                        {t('signedInSince')} <When date={createdAt} />
                      </span>
                    </span>
                  </span>
                  {!isHere && (
                    <Button
                      small
                      look="quiet"
                      isDisabled={pending}
                      onPress={() => void end(() => answer(revokeSession({ body: { token } })))}
                      aria-label={t('endOne', { device })}
                    >
                      {t('end')}
                    </Button>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </SettingsSection>
  )
}
