/** Fairness in a shared pool: who takes the least comes first, who takes the most gives way. */

/** An organization's credential (token or user); for strangers both are the address. */
export interface Claimant {
  organization: string
  credential: string
}

/** What organizations and their credentials take from a pool: bytes, slots or connections. */
export class FairShares {
  readonly #organizations = new Map<string, number>()
  readonly #credentials = new Map<string, number>()
  #total = 0

  /** What all take together. */
  get total(): number {
    return this.#total
  }

  /** Adds `amount`; a negative one gives back. */
  add(claimant: Claimant, amount: number): void {
    this.#total += amount
    change(this.#organizations, claimant.organization, amount)
    change(this.#credentials, nameOf(claimant), amount)
  }

  /** What the organization of `claimant` takes. */
  ofOrganization({ organization }: Claimant): number {
    return this.#organizations.get(organization) ?? 0
  }

  /** What the credential of `claimant` takes in this organization. */
  ofCredential(claimant: Claimant): number {
    return this.#credentials.get(nameOf(claimant)) ?? 0
  }

  /** Negative when `a` takes less than `b`, by organization, then by credential. For sorting. */
  compare(a: Claimant, b: Claimant): number {
    return this.ofOrganization(a) - this.ofOrganization(b) || this.ofCredential(a) - this.ofCredential(b)
  }

  /** Whether `holder` gives way to `comer`, who wants `amount` and would still have less. */
  yields(holder: Claimant, comer: Claimant, amount: number): boolean {
    if (holder.organization !== comer.organization)
      return this.ofOrganization(holder) > this.ofOrganization(comer) + amount
    return this.ofCredential(holder) > this.ofCredential(comer) + amount
  }

  /** The first of those that take the least. */
  least<T extends { claimant: Claimant }>(all: Iterable<T>): T | undefined {
    let found: T | undefined
    for (const one of all) if (!found || this.compare(one.claimant, found.claimant) < 0) found = one
    return found
  }

  /** The first of those that take the most. */
  most<T extends { claimant: Claimant }>(all: Iterable<T>): T | undefined {
    let found: T | undefined
    for (const one of all) if (!found || this.compare(one.claimant, found.claimant) > 0) found = one
    return found
  }
}

/** The same user may be in several organizations. */
const nameOf = ({ organization, credential }: Claimant) => `${organization} ${credential}`

function change(amounts: Map<string, number>, name: string, amount: number): void {
  const now = (amounts.get(name) ?? 0) + amount
  if (now === 0) amounts.delete(name)
  else amounts.set(name, now)
}
