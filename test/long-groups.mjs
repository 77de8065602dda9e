/**
 * The order of `test:long` and `test:browser`: the longest files run first, so that none of them runs alone at the end.
 * Short files of a room share a process, as under `npm test`.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isAlone, programs } from './groups.mjs'

const root = join(import.meta.dirname, '..')

/** Seconds of a file that is not named below. */
const SHORT = 6
/** Seconds of longer files on two idle processors. Only the order depends on them. */
const SECONDS = {
  'browser/editor': 36,
  'browser/editor-keys': 38,
  'browser/editor-menus': 12,
  'browser/editor-speed': 33,
  'browser/field': 16,
  'browser/first-run': 11,
  'browser/history': 25,
  'browser/late': 31,
  'browser/network': 38,
  'browser/people': 58,
  'browser/projects': 30,
  'browser/screen-reader': 27,
  'browser/start': 30,
  'browser/team': 36,
  'browser/thirty-texts': 35,
  'browser/windows': 33,
  'cli/commands/ignored-faults.long': 25,
  'cli/commands/layouts.long': 14,
  'cli/processes.long': 40,
  'cli/stories.long': 35,
  'cluster/accounts/half-done.long': 32,
  'cluster/backup.long': 20,
  'cluster/cancelled.long': 12,
  'cluster/contract.long': 30,
  'cluster/node.long': 30,
  'cluster/stopped.long': 18,
  'contract/refusals.long': 16,
  'contract/stopping.long': 20,
  'contract/withdrawn.long': 14,
  'http/bounds/connections.long': 60,
  'http/checks.long': 20,
  'http/generated-client.long': 15,
  'http/history.long': 20,
  'http/large-comparisons.long': 18,
  'http/past.long': 15,
  'http/pushes.long': 15,
  'http/requests/refused-fields.long': 40,
  'http/restore.long': 25,
  'http/revert-cases.long': 14,
  'http/translate-failures.long': 200,
  'http/types-compiled.long': 25,
  'http/writing/overtaken.long': 30,
  'launch/npms.long': 100,
  'launch/old-node.long': 15,
  'long/backup-crash': 30,
  'long/cluster-upgrade': 14,
  'long/deploying': 40,
  'long/docs': 42,
  'long/events': 34,
  'long/export': 30,
  'long/fuzz': 30,
  'long/gc-beside': 16,
  'long/git-load': 40,
  'long/large-push': 18,
  'long/main-thread': 240,
  'long/maintenance-crash': 38,
  'long/organizations': 14,
  'long/others-wait': 50,
  'long/proxies': 55,
  'long/push-crash': 18,
  'long/soak': 26,
  'long/trial': 30,
  'operator/backup.long': 13,
  'operator/user.long': 13,
  'operator/verify-findings.long': 20,
  'operator/verify.long': 35,
  'security/bad-input.long': 20,
  'security/cluster-secret.long': 15,
  'security/owasp.long': 35,
  'security/own-revisions.long': 20,
  'security/rights.slow': 40,
  'security/withdrawn-rights.long': 120,
  'store/background-failures.long': 70,
  'store/backup/backup.long': 13,
  'store/backup/restore-states.long': 25,
  'store/crash': 24,
  'store/git/maintenance-times.long': 35,
  'store/powerloss': 28,
  'store/releases-powerloss': 24,
}
/** Seconds of short files that share a process. */
const TOGETHER = 24

/** @param patterns globs from the project's folder @returns files, the longest first */
export function longestFirst(patterns) {
  const files = globSync(patterns, { cwd: root }).sort()
  return files.sort((a, b) => secondsOf(b) - secondsOf(a))
}

/** @param files the longest first @returns programs for tap */
export function programsOf(files) {
  const groups = []
  for (const file of files) {
    const [room] = nameOf(file).split('/')
    const seconds = secondsOf(file)
    const alone = isAlone(join(root, file))
    const fits = group => group.room === room && !group.alone && group.seconds + seconds <= TOGETHER
    const group = alone ? undefined : groups.find(fits)
    if (group === undefined) groups.push({ room, alone, seconds, files: [file] })
    else {
      group.files.push(file)
      group.seconds += seconds
    }
  }
  groups.sort((a, b) => b.seconds - a.seconds)
  return programs(groups.map(({ room, files }) => [room, files]))
}

const secondsOf = file => SECONDS[nameOf(file)] ?? SHORT

const nameOf = file =>
  relative('test', file)
    .split(sep)
    .join('/')
    .replace(/\.test\.ts$/, '')
