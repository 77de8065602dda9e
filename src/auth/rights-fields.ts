/** The column of rights in better-auth's tables of members and invitations. */
import { currentActor } from './actor.ts'
import { type LanguageRights, parseRights, renderRights } from './rights.ts'

/**
 * Text in both databases: PostgreSQL's JSON would order the members in its own way. What better-auth writes is text
 * already, and what it answers is a list, or null.
 */
const RIGHTS = {
  type: 'string',
  required: false,
  transform: { output: (value: unknown) => (typeof value === 'string' ? (parseRights(value) as never) : null) },
} as const

/** The schema for the plugin of organizations. */
export const ORGANIZATION_FIELDS = {
  invitation: { additionalFields: { rights: RIGHTS } },
  member: {
    additionalFields: { rights: { ...RIGHTS, input: false, defaultValue: () => currentActor()?.rights ?? null } },
  },
} as const

/** The rights of a row that better-auth has read, as the table has them. */
export function storedRights(row: object): string | null {
  const { rights } = row as { rights?: LanguageRights | null }
  return rights ? renderRights(rights) : null
}
