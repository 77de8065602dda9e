/** `parlance server verify`: what is wrong in a data folder, and what to do about it. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { listOrganizations } from '../auth/directory.ts'
import { type KnownOrganization, verifyAccounts } from '../auth/verify.ts'
import { Failure } from '../bundle/errors.ts'
import { counted } from '../cli/terminal/table.ts'
import { DATA_VERSION, newer, readDataVersion, VERSION_FILE } from '../store/data-folder.ts'
import { gitVersion } from '../store/git/git.ts'
import { isLocked } from '../store/lock.ts'
import { isOrganization } from '../store/open-organization.ts'
import { type Finding, verifyAccountsCopy, verifyRepository } from '../store/verify.ts'
import { withAccounts } from './data-folder.ts'
import type { CommandCall, OperatorResult } from './report.ts'

interface Options {
  organization?: string
}

/** A finding with its organization: null for the data folder's own. */
interface OwnedFinding extends Finding {
  organization: { id: string; slug: string | null } | null
}

const UNSEALED = 'A server runs on it: what was written in the last second was not looked at.'
const STARTED = 'A server was started or stopped meanwhile, which may be all that was found: run it again.'
const NO_GIT = 'There is no git here: objects were read by Parlance itself, which is slower.'

export async function run(call: CommandCall<Options>): Promise<OperatorResult> {
  const { config, options, report, terminal } = call
  const { dataDir } = config
  const folder = join(dataDir, 'organizations')
  if (!existsSync(join(dataDir, 'parlance.sqlite')) && !existsSync(folder)) {
    throw new Failure('not-found', `${dataDir} is no data folder of Parlance: set DATA_DIR or give --data-dir.`)
  }
  const running = isLocked(dataDir)
  const git = (await gitVersion()) ?? null
  const findings: OwnedFinding[] = []
  const add = (organization: OwnedFinding['organization']) => (finding: Finding) =>
    void findings.push({ organization, ...finding })

  verifyVersion(dataDir, add(null))
  report.progress('checking the accounts')
  // The database that nodes share is for its own operator to check.
  const known = config.cluster
    ? (await withAccounts(call, listOrganizations)).map(one => ({ ...one, used: false }))
    : await verifyAccounts(dataDir, running, add(null))
  const { stop: signal } = terminal
  const copy = { folder: join(dataDir, 'backup'), running, signal, progress: () => {} }
  await verifyAccountsCopy(copy, add(null))
  const there = await readdir(folder).catch(() => [])
  const slugs = new Map(known?.map(({ id, slug }) => [id, slug]))
  const wanted = options.organization === undefined ? undefined : find(options.organization, slugs, there)
  if (wanted === undefined) compare(known, there, add)
  const checked = there.filter(id => isOrganization(id) && (wanted ?? id) === id)
  for (const [index, id] of checked.entries()) {
    const slug = slugs.get(id) ?? null
    const progress = (step: string) =>
      report.progress(`checking ${slug ?? id} (${index + 1} of ${checked.length}): ${step}`)
    progress('its files')
    const workTree = join(folder, id)
    await verifyRepository({ workTree, running, signal, progress }, add({ id, slug }))
  }

  const remarks = [
    ...(running ? [UNSEALED] : []),
    ...(isLocked(dataDir) === running ? [] : [STARTED]),
    ...(git === null ? [NO_GIT] : []),
  ]
  const of = (severity: Finding['severity']) => findings.filter(finding => finding.severity === severity).length
  const [errors, warnings, notes] = [of('error'), of('warning'), of('note')]
  const ok = errors + warnings === 0
  const counts = [counted(errors, 'error'), counted(warnings, 'warning'), counted(notes, 'note')]
  const found = counts.filter(text => !text.startsWith('0')).join(', ')
  const sum = `${counted(checked.length, 'organization')} checked in ${dataDir}: ${ok ? 'nothing' : 'something'} is wrong`
  const organizations = checked.length
  return {
    text: [...findings.flatMap(describe), ...remarks, `${sum}${found && ` (${found})`}.`].join('\n'),
    json: { ok, dataDir, serverRunning: running, git, organizations, errors, warnings, notes, remarks, findings },
    code: ok ? 0 : 1,
  }
}

/** @throws Failure `unavailable` for a newer server's folder, that this one does not understand */
function verifyVersion(dataDir: string, found: (finding: Finding) => void): void {
  try {
    const version = readDataVersion(dataDir)
    if (version === undefined || version === DATA_VERSION) return
    if (version > DATA_VERSION) throw newer(`The data folder ${dataDir}`, version)
    const what =
      version === 0
        ? 'The data folder has no version yet, as from a Parlance before there were versions.'
        : `The data folder is of version ${version}, and this Parlance writes ${DATA_VERSION}.`
    found({ severity: 'note', path: VERSION_FILE, what, todo: 'Nothing: the next start brings it up to date.' })
  } catch (error) {
    if (!(error instanceof Failure) || (error.data.version as number) > DATA_VERSION) throw error
    const todo = `If this Parlance was the last to write the folder, write ${DATA_VERSION} and a line break into it; the server does not start with it.`
    found({ severity: 'error', path: VERSION_FILE, what: 'The file does not hold a version.', todo })
  }
}

/** Folders without an organization and organizations without a folder. */
function compare(
  known: KnownOrganization[] | undefined,
  there: string[],
  add: (organization: OwnedFinding['organization']) => (finding: Finding) => void,
): void {
  for (const id of there) {
    if (!isOrganization(id)) {
      const what = 'This is no folder of an organization.'
      const todo = 'Move it out of the data folder, if it is yours.'
      add(null)({ severity: 'warning', path: `organizations/${id}`, what, todo })
    } else if (known !== undefined && !known.some(one => one.id === id)) {
      const what = 'SQLite knows no organization of this id, so no user can reach its content.'
      const todo =
        'If the accounts are older than this folder, put back the parlance.sqlite that belongs to it; if the organization was deleted, move the folder to deleted/.'
      add({ id, slug: null })({ severity: 'warning', path: '', what, todo })
    }
  }
  for (const { id, slug, used } of known ?? []) {
    if (there.includes(id)) continue
    const what = used
      ? 'The organization has tokens in use and no folder: either nothing was ever written, or the folder is lost.'
      : 'The organization has no folder: nothing was written yet.'
    const todo = used ? 'If it had translations, put the folder back from the backup.' : 'Nothing.'
    add({ id, slug })({ severity: used ? 'warning' : 'note', path: '', what, todo })
  }
}

function find(idOrSlug: string, slugs: Map<string, string>, there: string[]): string {
  const id = there.includes(idOrSlug) ? idOrSlug : [...slugs].find(([, slug]) => slug === idOrSlug)?.[0]
  if (id !== undefined && there.includes(id)) return id
  throw new Failure(
    'not-found',
    `There is no repository of an organization ${JSON.stringify(idOrSlug)}; \`parlance server organization list\` shows which there are.`,
  )
}

function describe({ severity, organization, path, what, todo }: OwnedFinding): string[] {
  const whose = organization === null ? '' : `${organization.slug ?? organization.id}${path === '' ? '' : '/'}`
  return [`${severity}: ${whose}${path}`, `  ${what}`, `  -> ${todo}`, '']
}
