/** The delays of a backup, all in milliseconds. */

/** When a target is pushed to. */
export type TargetDelays = typeof TARGET
const TARGET = {
  /** From the last change to the push. */
  settle: 5_000,
  /** From the first change to the push at the latest, while more come. */
  latest: 60_000,
  /** To the first retry; each next one waits twice as long, up to `lastRetry`, with a quarter of jitter. */
  firstRetry: 5_000,
  lastRetry: 600_000,
  /** Longest push; one that lasted longer gets twice that next time, up to eight times. */
  push: 600_000,
  /** For a running push to finish at the end. */
  grace: 2_000,
}

/** When it is proved that a restore would work. */
export type CheckDelays = typeof CHECK
const CHECK = {
  /** Period in milliseconds of the check of each repository; 0 for never. */
  check: 7 * 86_400_000,
  /** Between two checks at the least, and between two looks whether one is due at the most. */
  checkStep: [60_000, 600_000] as readonly [least: number, most: number],
  /** Until what was wrong or unreachable is checked again. */
  recheck: 3_600_000,
}

/** A server's own. */
export const DELAYS = {
  ...TARGET,
  ...CHECK,
  /** Between two looks at the accounts for changes. */
  accounts: 2_000,
  /** Period of the question whether the remote has the accounts. */
  remote: 60_000,
  /** Period of the question whether it has all of an organization. */
  round: 600_000,
  /** The least time between two of these questions. */
  step: 5_000,
  /** Of failing pushes until the server counts as unwell. */
  trouble: 900_000,
}
export type BackupDelays = typeof DELAYS
