/** The one way from a route to a change of an organization: the right to it is asked again inside the queue, when the change happens. */
import type { FastifyRequest } from 'fastify'
import type { Permission } from '../auth/access.ts'
import type { Auth } from '../auth/auth.ts'
import { Releases } from '../store/releases.ts'
import type { Snapshot, Store, Transaction, Use, Written } from '../store/store.ts'
import { requireCaller } from './caller.ts'

/** Asks for a right as it is now. @throws Failure as `Auth.recheck` does */
export type Ask = (permission: Permission) => void

/**
 * See the top of the file. A body takes as long as its client likes, and so may a computation: by then the token may be revoked, the
 * user removed, the organization deleted. Whoever takes a right away waits for the writes under way (`Store.settle`).
 */
export class PermittedWrites {
  readonly #store: Store
  readonly #auth: Auth

  constructor(store: Store, auth: Auth) {
    this.#store = store
    this.#auth = auth
  }

  /** Asks for a right outside of a write: whoever tells anything once a body has arrived does. @throws Failure as `Auth.recheck` does */
  ask(request: FastifyRequest, permission: Permission): void {
    this.#auth.recheck(requireCaller(request, permission), permission)
  }

  /**
   * @param use as that of `Store.write`; `ask` is for a further right, which the state shows to be needed
   * @throws Failure as `Auth.recheck`, `Store.write` and `use` do
   */
  async write<T>(
    request: FastifyRequest,
    permission: Permission,
    use: (tx: Transaction, ask: Ask) => ReturnType<Use<T>>,
  ): Promise<Written<T>> {
    const caller = requireCaller(request, permission)
    const ask: Ask = further => this.#auth.recheck(caller, further)
    // Who lost it already hears that, and not what became of the organization since.
    ask(permission)
    return this.#store.write(caller.organization, caller, tx => {
      ask(permission)
      return use(tx, ask)
    })
  }

  /** Looks at the newest durable state as a write would, and changes nothing. @throws Failure as {@link write} does */
  look<T>(request: FastifyRequest, permission: Permission, use: (snapshot: Snapshot, ask: Ask) => T): Promise<T> {
    const caller = requireCaller(request, permission)
    const ask: Ask = further => this.#auth.recheck(caller, further)
    return this.#store.read(caller.organization, snapshot => {
      ask(permission)
      return use(snapshot, ask)
    })
  }

  /** Releases, of which each change asks for the right again. */
  releases(request: FastifyRequest, permission: Permission): Releases {
    const caller = requireCaller(request, permission)
    this.#auth.recheck(caller, permission)
    return new Releases({
      look: (organization, use) => this.#store.look(organization, use),
      changeRefs: (organization, use) =>
        this.#store.changeRefs(organization, async history => {
          this.#auth.recheck(caller, permission)
          return use(history)
        }),
    })
  }
}
