/** The roles of members of an organization. */
import type { TFunction } from 'i18next'

/** From the most to the least. */
export const ROLES = ['owner', 'admin', 'member'] as const
export type MemberRole = (typeof ROLES)[number]

/** The strongest of a stored role, which better-auth may join by commas. */
export const strongest = (stored: string): MemberRole =>
  ROLES.find(role => stored.split(',').includes(role)) ?? 'member'

/** The name of a role in the reader's language. @param t any */
export function roleName(stored: string, t: TFunction): string {
  return { owner: t('common:owner'), admin: t('common:admin'), member: t('common:member') }[strongest(stored)]
}
