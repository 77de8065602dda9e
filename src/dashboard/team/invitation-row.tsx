/** An open invitation. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { cancelInvitation, type Invitation } from '../api/client.ts'
import { roleName } from '../api/roles.ts'
import { useMember } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { Badge } from '../ui/badge.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Actions } from '../ui/dialog.tsx'
import { CopyButton } from '../ui/snippet.tsx'
import { When } from '../ui/when.tsx'
import { invitationLink } from './invitation-link.ts'
import { changeEntry, INVITATIONS } from './queries.ts'
import styles from './team.module.css'
import { useLanguageWords } from './use-language-words.ts'

/** Its link can be copied again for as long as it works. */
export function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { t } = useTranslation('team')
  const { who } = useMember()
  const client = useQueryClient()
  const { id, email, role, rights, expiresAt } = invitation
  const { wordsOf } = useLanguageWords()
  const expired = Date.parse(expiresAt) < Date.now()
  const withdraw = async () => {
    await changeEntry(client, INVITATIONS, id, answer(cancelInvitation({ body: { invitationId: id } })))
    announce(t('withdrawn', { email }))
  }
  return (
    <li className={styles.row}>
      <span className={styles.person}>
        <span className={styles.name}>{email}</span>
        <span className={`quiet ${styles.times}`}>
          <span>{roleName(role, t)}</span>
          {rights && <span>{wordsOf(rights)}</span>}
          <span>
            {expired ? <Badge kind="warn">{t('expired')}</Badge> : t('expires')}{' '}
            <When date={expiresAt} isAhead={!expired} />
          </span>
        </span>
      </span>
      <Actions>
        {!expired && (
          <CopyButton text={invitationLink(invitation, who.organization.name)} label={t('copyLink', { email })} />
        )}
        <ConfirmButton
          small
          look="quiet"
          words={t('withdraw')}
          aria-label={t('withdrawFrom', { email })}
          onConfirm={withdraw}
        >
          <p>{t('withdrawWhy')}</p>
        </ConfirmButton>
      </Actions>
    </li>
  )
}
