/** How long a backup waits for what, all in milliseconds. */

/** When a copy is pushed to. */
export interface CopyDelays {
  /** From the last change to the push. */
  settle: number
  /** From the first change to the push at the latest, while more come. */
  latest: number
  /** To the first try after a failure; each next one waits twice as long, up to `lastRetry`, give or take a quarter. */
  firstRetry: number
  lastRetry: number
  /** What a push may take; one that took longer gets twice that the next time, up to eight times. */
  push: number
  /** What a push that is under way at the end is given to finish. */
  grace: number
}

/** When it is proved that a restore would work. */
export interface CheckDelays {
  /** In which each repository is checked once; 0 for never. */
  check: number
  /** Between two of these checks at the least, and between two looks whether one is due at the most. */
  checkStep: readonly [least: number, most: number]
  /** Until what was found wrong, or could not be looked at, is checked again. */
  recheck: number
}

/** All of them. */
export interface BackupDelays extends CopyDelays, CheckDelays {
  /** Between two looks whether the accounts have changed. */
  accounts: number
  /** Between two looks whether the remote is still the same, and has the accounts. */
  remote: number
  /** In which each organization's repository at the remote is looked at once, */
  round: number
  /** and the least time between two of these looks. */
  step: number
  /** How long pushes must have failed for the server to count as unwell. */
  trouble: number
}

/** A server's own. */
export const DELAYS: BackupDelays = {
  settle: 5_000,
  latest: 60_000,
  firstRetry: 5_000,
  lastRetry: 600_000,
  push: 600_000,
  grace: 2_000,
  accounts: 2_000,
  remote: 60_000,
  round: 3_600_000,
  step: 5_000,
  trouble: 900_000,
  check: 7 * 86_400_000,
  checkStep: [60_000, 600_000],
  recheck: 3_600_000,
}
