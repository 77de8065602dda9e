/** What the entries of the audit trail say. */
import type { TFunction } from 'i18next'
import type { AuditEntry } from '../api/client.ts'

type Event = AuditEntry['what']

/** As the API names them, by what they are about. */
export const EVENTS: readonly Event[] = [
  'sign-in',
  'sign-in-failed',
  'sign-out',
  'sign-up',
  'password-changed',
  'password-reset',
  'second-factor-on',
  'second-factor-off',
  'second-factor-failed',
  'backup-code-used',
  'backup-codes-renewed',
  'identity-linked',
  'token-minted',
  'token-revoked',
  'invitation-made',
  'invitation-withdrawn',
  'invitation-accepted',
  'invitation-declined',
  'member-added',
  'member-removed',
  'member-left',
  'role-changed',
  'organization-made',
  'organization-renamed',
  'organization-deleted',
]

/** What happened. @param t of the namespace `team` */
export function eventName(event: Event, t: TFunction): string {
  const names: Record<Event, string> = {
    'sign-up': t('team:eventSignUp'),
    'sign-in': t('team:eventSignIn'),
    'sign-in-failed': t('team:eventSignInFailed'),
    'sign-out': t('team:eventSignOut'),
    'password-changed': t('team:eventPasswordChanged'),
    'password-reset': t('team:eventPasswordReset'),
    'second-factor-on': t('team:eventSecondFactorOn'),
    'second-factor-off': t('team:eventSecondFactorOff'),
    'second-factor-failed': t('team:eventSecondFactorFailed'),
    'backup-code-used': t('team:eventBackupCodeUsed'),
    'backup-codes-renewed': t('team:eventBackupCodesRenewed'),
    'identity-linked': t('team:eventIdentityLinked'),
    'token-minted': t('team:eventTokenMinted'),
    'token-revoked': t('team:eventTokenRevoked'),
    'invitation-made': t('team:eventInvitationMade'),
    'invitation-withdrawn': t('team:eventInvitationWithdrawn'),
    'invitation-accepted': t('team:eventInvitationAccepted'),
    'invitation-declined': t('team:eventInvitationDeclined'),
    'member-added': t('team:eventMemberAdded'),
    'member-removed': t('team:eventMemberRemoved'),
    'member-left': t('team:eventMemberLeft'),
    'role-changed': t('team:eventRoleChanged'),
    'organization-made': t('team:eventOrganizationMade'),
    'organization-renamed': t('team:eventOrganizationRenamed'),
    'organization-deleted': t('team:eventOrganizationDeleted'),
  }
  return names[event]
}

/** What happened to what: `Role changed: bob@example.com, member → admin`. */
export function sentenceOf({ what, who, about, from, to }: AuditEntry, t: TFunction): string {
  const name = about && about.name !== who?.email ? about.name : ''
  const change = [from, to].filter(part => part !== null).join(' → ')
  const details = [name, change].filter(part => part !== '').join(', ')
  return details === '' ? eventName(what, t) : t('team:eventAbout', { event: eventName(what, t), details })
}
