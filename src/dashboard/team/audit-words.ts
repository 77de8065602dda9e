/** The sentences of the audit trail. */
import type { TFunction } from 'i18next'
import type { AuditEntry, LanguageRight, Token } from '../api/client.ts'
import { roleName } from '../api/roles.ts'
import { scopeWords } from './scopes.ts'

type Event = AuditEntry['what']

/** The text of each, by what they are about. */
const WORDS: Record<Event, string> = {
  'sign-in': 'team:eventSignIn',
  'sign-in-failed': 'team:eventSignInFailed',
  'sign-out': 'team:eventSignOut',
  'sign-up': 'team:eventSignUp',
  'password-changed': 'team:eventPasswordChanged',
  'password-reset': 'team:eventPasswordReset',
  'second-factor-on': 'team:eventSecondFactorOn',
  'second-factor-off': 'team:eventSecondFactorOff',
  'second-factor-failed': 'team:eventSecondFactorFailed',
  'backup-code-used': 'team:eventBackupCodeUsed',
  'backup-codes-renewed': 'team:eventBackupCodesRenewed',
  'identity-linked': 'team:eventIdentityLinked',
  'token-minted': 'team:eventTokenMinted',
  'token-revoked': 'team:eventTokenRevoked',
  'invitation-made': 'team:eventInvitationMade',
  'invitation-withdrawn': 'team:eventInvitationWithdrawn',
  'invitation-accepted': 'team:eventInvitationAccepted',
  'invitation-declined': 'team:eventInvitationDeclined',
  'member-added': 'team:eventMemberAdded',
  'member-removed': 'team:eventMemberRemoved',
  'member-left': 'team:eventMemberLeft',
  'role-changed': 'team:eventRoleChanged',
  'rights-changed': 'team:eventRightsChanged',
  'feed-renewed': 'team:eventFeedRenewed',
  'organization-made': 'team:eventOrganizationMade',
  'organization-renamed': 'team:eventOrganizationRenamed',
  'organization-deleted': 'team:eventOrganizationDeleted',
}

/** As the API names them. */
export const EVENTS = Object.keys(WORDS) as readonly Event[]

/** The name of an event. @param t of the namespace `team` */
export const eventName = (event: Event, t: TFunction): string => t(WORDS[event])

/** Events with a role as their state. */
const OF_A_ROLE = /^(?:invitation|member)-/

/** Rights in words; null for those of the role. */
type RightsWords = (rights: LanguageRight[] | null) => string

/** The name of a state: a role, a token's scope, rights, else the state itself. */
function named(what: Event, state: string, t: TFunction, wordsOf: RightsWords): string {
  if (what === 'rights-changed') return wordsOf(JSON.parse(state) as LanguageRight[])
  if (what.startsWith('token-')) return scopeWords(state as Token['scope'], t).label
  if (OF_A_ROLE.test(what)) return t('team:eventRole', { role: roleName(state, t) })
  return what === 'role-changed' ? roleName(state, t) : state
}

/** The event with its subject: `Role changed: bob@example.com, from Member to Admin`. */
export function sentenceOf({ what, who, about, from, to }: AuditEntry, t: TFunction, wordsOf: RightsWords): string {
  const name = about && about.name !== who?.email ? about.name : ''
  const states = [from, to].flatMap(state => (state === null ? [] : named(what, state, t, wordsOf)))
  if (what === 'rights-changed' && to === null) states.push(wordsOf(null))
  const change = states.length === 2 ? t('team:fromTo', { from: states[0], to: states[1] }) : states.join('')
  const details = name !== '' && change !== '' ? t('team:eventDetails', { name, change }) : name || change
  return details === '' ? eventName(what, t) : t('team:eventAbout', { event: eventName(what, t), details })
}
