/** The waiting invitations on the pages of a reader who is in no organization. */
import { useTranslation } from 'react-i18next'
import type { Viewer } from '../api/session.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Wrong } from '../ui/form.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import styles from './entry.module.css'
import { useOpenInvitations } from './open-invitations.ts'
import { useJoin } from './use-join.ts'

/** A row an invitation; nothing where none waits. @param isMain whether a single one has the primary button */
export function WaitingInvitations({ viewer, isMain }: { viewer: Viewer; isMain: boolean }) {
  const { t } = useTranslation('signIn')
  const waiting = useOpenInvitations(viewer)
  const join = useJoin()
  const { pending, problem, send } = useSubmission()
  if (waiting.length === 0) return null
  // Of several, none is the main one.
  const look = isMain && waiting.length === 1 ? 'primary' : 'plain'
  return (
    <section className="rows">
      <h2>{t('common:invitations')}</h2>
      <Wrong problem={problem} />
      {waiting.map(({ id, name }) => (
        <div key={id} className={styles.row}>
          <span>{name ?? t('invited')}</span>
          {name === undefined ? (
            <ButtonLink small look={look} to={`/invitations/${id}`}>
              {t('look')}
            </ButtonLink>
          ) : (
            <Button
              small
              look={look}
              isPending={pending}
              onPress={() => void send(() => join(id))}
              aria-label={t('joinOrganization', { name })}
            >
              {t('accept')}
            </Button>
          )}
        </div>
      ))}
    </section>
  )
}
