/**
 * Triggers of this connection write each audit entry in the transaction of its act. Neither is stored without the
 * other, on any path through better-auth.
 */
import { type Actor, currentActor } from './actor.ts'
import { BOUND, noteOf, RULES } from './audit-rules.ts'
import type { Database } from './database.ts'

/** Adds the triggers to this connection. They are temporary, so that SQLite's command line has none. */
export function createAuditTriggers(database: Database, now: () => number): void {
  database.function(
    'acting',
    { deterministic: false },
    (what: unknown) => actorFacts(currentActor())[what as keyof ActorFacts] ?? null,
  )
  database.function('acting_time', { deterministic: false }, () => now())
  RULES.forEach((rule, index) => {
    const [change, table] = rule.on.split(' on ')
    const { when, insert } = noteOf(rule)
    database.exec(
      `create temp trigger audit_${index} after ${change} on main."${table}" when ${when} begin ${insert} end`,
    )
  })
  database.exec(`create temp trigger audit_bounds after insert on main.audit begin ${BOUND} end`)
}

/** What the rules may ask of an act. */
interface ActorFacts {
  by: 'operator' | 'user' | 'nobody'
  path: string | undefined
  address: string | undefined
  id: string | undefined
  email: string | undefined
}

/** The facts of an act that the trail records. */
export function actorFacts(actor: Actor | undefined): ActorFacts {
  const { path, address, user: { id, email } = {} } = actor ?? {}
  const by = actor?.operator ? 'operator' : actor?.user ? 'user' : 'nobody'
  return { by, path, address, id, email }
}
