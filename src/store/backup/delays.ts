/** The delays of a backup, all in milliseconds. */

/** When a copy is pushed to. */
export interface CopyDelays {
  /** From the last change to the push. */
  settle: number
  /** From the first change to the push at the latest, while more come. */
  latest: number
  /** To the first retry; each next one waits twice as long, up to `lastRetry`, give or take a quarter. */
  firstRetry: number
  lastRetry: number
  /** Longest push; one that took longer gets twice that next time, up to eight times. */
  push: number
  /** For a running push to finish at the end. */
  grace: number
}

/** When it is proved that a restore would work. */
export interface CheckDelays {
  /** In which each repository is checked once; 0 for never. */
  check: number
  /** Between two checks at the least, and between two looks whether one is due at the most. */
  checkStep: readonly [least: number, most: number]
  /** Until what was wrong or unreachable is checked again. */
  recheck: number
}

/** All of them. */
export interface BackupDelays extends CopyDelays, CheckDelays {
  /** Between two looks at the accounts for changes. */
  accounts: number
  /** Between two looks whether the remote is the same, and has the accounts. */
  remote: number
  /** In which each organization's repository at the remote is looked at once. */
  round: number
  /** The least time between two of these looks. */
  step: number
  /** Of failing pushes until the server counts as unwell. */
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
