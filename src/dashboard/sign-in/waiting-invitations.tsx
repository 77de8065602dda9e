/** The waiting invitations on the pages of a reader who is in no organization. */
import { useTranslation } from 'react-i18next'
import type { Viewer } from '../api/session.ts'
import { ButtonLink } from '../ui/button.tsx'
import styles from './entry.module.css'
import { useOpenInvitations } from './open-invitations.ts'

/** A row an invitation; nothing where none waits. */
export function WaitingInvitations({ viewer }: { viewer: Viewer }) {
  const { t } = useTranslation('signIn')
  const waiting = useOpenInvitations(viewer)
  if (waiting.length === 0) return null
  return (
    <section className="rows">
      <h2>{t('common:invitations')}</h2>
      {waiting.map(({ id, name }) => (
        <div key={id} className={styles.row}>
          <span>{name ?? t('invited')}</span>
          <ButtonLink small to={`/invitations/${id}`}>
            {t('look')}
          </ButtonLink>
        </div>
      ))}
    </section>
  )
}
