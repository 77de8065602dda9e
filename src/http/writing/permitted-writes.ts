/** The only way from a route to a change: it checks the caller's right again inside the queue. */
import type { Caller, Permission } from '../../auth/access.ts'
import type { Auth } from '../../auth/auth.ts'
import { isSteps, type Steps } from '../../scheduling/steps.ts'
import { Releases } from '../../store/releases.ts'
import type { AcknowledgedWrite, ProposedCommit, Snapshot, Store, Transaction } from '../../store/store.ts'
import { keepWithin, type PermittedRequest, requireCaller } from '../requests/caller.ts'
import { refuseBeyondRights, refuseUnlessAll } from './within-rights.ts'

declare module 'fastify' {
  interface FastifyInstance {
    writes: PermittedWrites
  }
}

/** Checks a right as it is now. @returns the caller as it is now @throws Failure as `Auth.recheck` does */
export type AskPermission = (permission: Permission) => Caller

type MaybeSteps<T> = T | Steps<T>

/** What becomes of a change beside its own files. */
export interface Consequences<T> {
  /** Holds it to the reviews of its projects: texts that wait are put back. @returns the change as it is then */
  review: (tx: Transaction, changed: T, author: Caller) => Steps<T>
  /** Adds what follows from it, such as stale entries. The author needs no right for that. */
  follow: (tx: Transaction, changed: T, author: Caller) => Steps<void>
}

/**
 * See the top of the file. During slow bodies and computations a token may be revoked, a user removed, an organization
 * deleted. The revocation of a right waits for running writes (`Store.settle`).
 */
export class PermittedWrites {
  readonly #store: Store
  readonly #auth: Auth

  constructor(store: Store, auth: Auth) {
    this.#store = store
    this.#auth = auth
  }

  /** Checks the right of the route again after the body was read, before any other answer. @throws as `Auth.recheck` */
  ask(request: PermittedRequest): void {
    const { caller, permission } = rightOf(request)
    this.#recheck(request, caller, permission)
  }

  /**
   * Writes what the caller's rights by language cover.
   * @param use as for `Store.write`; `ask` checks a further right that the state calls for
   * @throws Failure as `Auth.recheck`, {@link refuseBeyondRights}, `Store.write` and `use` do
   */
  async write<T, C extends ProposedCommit<T>>(
    request: PermittedRequest,
    use: (tx: Transaction, ask: AskPermission) => MaybeSteps<C>,
    consequences?: Consequences<C>,
  ): Promise<AcknowledgedWrite<T>> {
    const { caller, permission } = rightOf(request)
    const ask: AskPermission = further => this.#recheck(request, caller, further)
    // A caller who lost the right learns only that.
    ask(permission)
    return this.#store.write(caller.organization, caller, tx => {
      const present = this.#recheck(request, caller, permission)
      return withinRights(present, tx, use(tx, ask), consequences)
    })
  }

  /** The steps of a write in `tx`, which the caller throws away. @throws Failure as {@link write} does */
  rehearse<C>(
    request: PermittedRequest,
    tx: Transaction,
    use: (tx: Transaction, ask: AskPermission) => MaybeSteps<C>,
    consequences: Consequences<C>,
  ): Steps<C> {
    const { caller, permission } = rightOf(request)
    const ask: AskPermission = further => this.#recheck(request, caller, further)
    const present = this.#recheck(request, caller, permission)
    return withinRights(present, tx, use(tx, ask), consequences)
  }

  /** Looks at the newest durable state, as a write would. @throws Failure as {@link write} does */
  look<T>(request: PermittedRequest, use: (snapshot: Snapshot, ask: AskPermission) => T): Promise<T> {
    const { caller, permission } = rightOf(request)
    const ask: AskPermission = further => this.#recheck(request, caller, further)
    return this.#store.read(caller.organization, snapshot => {
      ask(permission)
      return use(snapshot, ask)
    })
  }

  /** Releases, with the right checked again at each change. */
  releases(request: PermittedRequest): Releases {
    const { caller, permission } = rightOf(request)
    this.#recheck(request, caller, permission)
    return new Releases({
      look: (organization, use) => this.#store.look(organization, use),
      settle: organization => this.#store.settle(organization),
      changeRefs: (organization, use) =>
        this.#store.changeRefs(organization, async (history, change) => {
          const present = this.#recheck(request, caller, permission)
          // A release publishes every language.
          refuseUnlessAll(present, projectOf(request))
          return use(history, change)
        }),
    })
  }

  #recheck(request: PermittedRequest, caller: Caller, permission: Permission): Caller {
    const present = this.#auth.recheck(caller, permission)
    keepWithin(request, present)
    if (permission === 'manage-projects') refuseUnlessAll(present, projectOf(request))
    return present
  }
}

/** A change, held to the reviews, refused where its author's rights do not cover it, and then what follows from it. */
function* withinRights<C>(
  author: Caller,
  tx: Transaction,
  changing: MaybeSteps<C>,
  consequences?: Consequences<C>,
): Steps<C> {
  const given = isSteps(changing) ? yield* changing : changing
  const changed = consequences ? yield* consequences.review(tx, given, author) : given
  yield* refuseBeyondRights(author, tx)
  if (consequences) yield* consequences.follow(tx, changed, author)
  return changed
}

/** The project in the path of a route. */
const projectOf = ({ params }: PermittedRequest) => (params as { slug?: string }).slug

/** The caller of a route that declares a right, and that right. */
function rightOf(request: PermittedRequest): { caller: Caller; permission: Permission } {
  const { permission } = request.routeOptions.config
  if (permission === undefined) throw new Error(`${request.routeOptions.url} declares no permission`)
  return { caller: requireCaller(request, permission), permission }
}
