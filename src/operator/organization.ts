/** `parlance server organization …`: lists organizations, and exports one as a git bundle file. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { listOrganizations } from '../auth/directory.ts'
import { Failure } from '../bundle/errors.ts'
import { counted, inColumns, sizeText } from '../cli/terminal/table.ts'
import { hasRepository } from '../store/create-repository.ts'
import { type BundleFile, writeBundle } from '../store/git/git-bundle.ts'
import { countProjects, sizeOnDisk, waitForSeal } from '../store/read-only.ts'
import { Store } from '../store/store.ts'
import { aloneOrBeside, findOrganization, withAccounts } from './data-folder.ts'
import type { CommandCall, CommandReport, OperatorResult } from './report.ts'

const BEHIND = 'A server is running and has not sealed its last writes for ten seconds: those are not in the file.'

/** `parlance server organization list`. */
export async function list(call: CommandCall): Promise<OperatorResult> {
  const { config, report, terminal } = call
  const organizations = []
  for (const organization of await withAccounts(call, listOrganizations)) {
    terminal.stop.throwIfAborted()
    const folder = join(config.dataDir, 'organizations', organization.id)
    const projects = await projectsOf(folder, organization.slug, report)
    organizations.push({ ...organization, projects, bytes: sizeOnDisk(folder) })
  }
  const rows = organizations.map(({ id, slug, name, members, projects, bytes }) => {
    return [id, slug, name, String(members), projects === null ? '?' : String(projects), sizeText(bytes)]
  })
  const headings = ['ID', 'SLUG', 'NAME', 'MEMBERS', 'PROJECTS', 'SIZE']
  return { text: rows.length ? inColumns(headings, rows) : 'There are no organizations.', json: { organizations } }
}

/** Null for an unreadable repository, which must not hide the other organizations. */
async function projectsOf(folder: string, slug: string, report: CommandReport): Promise<number | null> {
  try {
    return await countProjects(folder)
  } catch (error) {
    report.log.warn({ err: error }, `the repository of ${slug} cannot be read, \`parlance server verify\` says more`)
    return null
  }
}

/** `parlance server organization export`: main and tags as a git bundle file. */
export async function exportBundle(call: CommandCall<{ output: string }>): Promise<OperatorResult> {
  const { config, options, operands, report, terminal } = call
  const { dataDir } = config
  const { id, slug } = await findOrganization(call, operands[0]!)
  const output = resolve(options.output)
  if (!existsSync(dirname(output))) throw new Failure('not-found', `There is no folder ${dirname(output)} to write to.`)
  const directory = join(dataDir, 'organizations')
  const workTree = join(directory, id)
  const { stop } = terminal
  // Opening it would create an empty one.
  if (!(await hasRepository(workTree)))
    throw new Failure('not-found', `${slug} has no commits yet, so there is nothing to export.`)

  const alone = async (): Promise<[BundleFile, boolean]> => {
    const store = await Store.open({ directory, watch: false, log: report.log })
    try {
      return [await store.readGit(id, gitDir => writeBundle(gitDir, output, stop)), true]
    } finally {
      await store.close()
    }
  }
  const beside = async (): Promise<[BundleFile, boolean]> => {
    const whole = await waitForSeal(workTree, stop)
    return [await writeBundle(join(workTree, '.git'), output, stop), whole]
  }
  const [file, whole] = await aloneOrBeside(dataDir, alone, beside)
  if (!whole) report.log.warn({}, BEHIND)
  const wrote = `Wrote ${output}: ${sizeText(file.bytes)}, main at ${file.revision}, ${counted(file.tags, 'tag')}.`
  return {
    text: `${wrote}\n\`git clone ${options.output}\` turns it into a repository.`,
    json: { organization: { id, slug }, file: output, ...file, ...(whole ? {} : { warning: BEHIND }) },
  }
}
