/** One invitation that waits. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { cancelInvitation, type Invitation } from '../api/client.ts'
import { useMember } from '../api/session.ts'
import { announce } from '../shell/announce.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CopyButton } from '../ui/snippet.tsx'
import { When } from '../ui/when.tsx'
import { invitationLink } from './invitation-link.ts'
import { INVITATIONS } from './queries.ts'
import { roleName } from './roles.ts'
import styles from './team.module.css'

/** Its link can be copied again for as long as it works. */
export function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { t } = useTranslation('team')
  const { who } = useMember()
  const client = useQueryClient()
  const [withdrawing, setWithdrawing] = useState(false)
  const { id, email, role, expiresAt } = invitation
  const expired = Date.parse(expiresAt) < Date.now()
  const withdraw = async () => {
    await answer(cancelInvitation({ body: { invitationId: id } }))
    await client.invalidateQueries({ queryKey: INVITATIONS })
    announce(t('withdrawn', { email }))
  }
  return (
    <li className={styles.row}>
      <span className={styles.person}>
        <span className={styles.name}>{email}</span>
        <span className={`${styles.quiet} ${styles.times}`}>
          <span>{roleName(role, t)}</span>
          <span>
            {expired ? <Badge kind="warn">{t('expired')}</Badge> : t('expires')} <When date={expiresAt} />
          </span>
        </span>
      </span>
      {!expired && (
        <CopyButton text={invitationLink(invitation, who.organization.name)} label={t('copyLink', { email })} />
      )}
      <Button small look="quiet" onPress={() => setWithdrawing(true)} aria-label={t('withdrawFrom', { email })}>
        {t('withdraw')}
      </Button>
      <Confirm
        title={t('withdrawFrom', { email })}
        doIt={t('withdraw')}
        isOpen={withdrawing}
        onClose={() => setWithdrawing(false)}
        onConfirm={withdraw}
      >
        <p>{t('withdrawWhy')}</p>
      </Confirm>
    </li>
  )
}
