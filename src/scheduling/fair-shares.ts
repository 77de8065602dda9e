/** Fairness in a shared pool: the client with the least comes first, the client with the most gives way. */

/** An organization's credential (token or user). Of an unknown client, both are the address. */
export interface Claimant {
  organization: string
  credential: string
}

/** The amounts of a pool that organizations and their credentials hold: bytes, slots or connections. */
export class FairShares {
  readonly #organizations = new Map<string, number>()
  readonly #credentials = new Map<string, number>()
  #total = 0

  /** The sum of all amounts. */
  get total(): number {
    return this.#total
  }

  /** Adds `amount`; a negative one returns it. */
  add(claimant: Claimant, amount: number): void {
    this.#total += amount
    change(this.#organizations, claimant.organization, amount)
    change(this.#credentials, nameOf(claimant), amount)
  }

  /** The amount of the organization of `claimant`. */
  ofOrganization({ organization }: Claimant): number {
    return this.#organizations.get(organization) ?? 0
  }

  /** The amount of the credential of `claimant` in this organization. */
  ofCredential(claimant: Claimant): number {
    return this.#credentials.get(nameOf(claimant)) ?? 0
  }

  /** Negative when `a` holds less than `b`, by organization, then by credential. For sorting. */
  compare(a: Claimant, b: Claimant): number {
    return this.ofOrganization(a) - this.ofOrganization(b) || this.ofCredential(a) - this.ofCredential(b)
  }

  /** Whether `holder` gives way to `comer`, which would still hold less with `amount`. */
  yields(holder: Claimant, comer: Claimant, amount: number): boolean {
    if (holder.organization !== comer.organization)
      return this.ofOrganization(holder) > this.ofOrganization(comer) + amount
    return this.ofCredential(holder) > this.ofCredential(comer) + amount
  }

  /** The first claimant with the least. */
  least<T extends { claimant: Claimant }>(all: Iterable<T>): T | undefined {
    let found: T | undefined
    for (const one of all) if (!found || this.compare(one.claimant, found.claimant) < 0) found = one
    return found
  }

  /** The first claimant with the most. */
  most<T extends { claimant: Claimant }>(all: Iterable<T>): T | undefined {
    let found: T | undefined
    for (const one of all) if (!found || this.compare(one.claimant, found.claimant) > 0) found = one
    return found
  }
}

/** A user may be in several organizations. */
const nameOf = ({ organization, credential }: Claimant) => `${organization} ${credential}`

function change(amounts: Map<string, number>, name: string, amount: number): void {
  const now = (amounts.get(name) ?? 0) + amount
  if (now === 0) amounts.delete(name)
  else amounts.set(name, now)
}
