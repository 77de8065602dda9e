/** What members of an organization may be. */
import type { TFunction } from 'i18next'

/** From the most to the least. */
export const ROLES = ['owner', 'admin', 'member'] as const
export type MemberRole = (typeof ROLES)[number]

/** The strongest of a stored role, which better-auth may join by commas. */
export const strongest = (stored: string): MemberRole =>
  ROLES.find(role => stored.split(',').includes(role)) ?? 'member'

/** What people call it. @param t any */
export function roleName(stored: string, t: TFunction): string {
  return { owner: t('common:owner'), admin: t('common:admin'), member: t('common:member') }[strongest(stored)]
}
