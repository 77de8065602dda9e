/** `parlance organization list`. */
import { join } from 'node:path'
import { Directory } from '../auth/directory.ts'
import { countProjects, sizeOnDisk } from '../store/sealed.ts'
import type { Call } from './call.ts'
import type { Outcome, Report } from './report.ts'
import { inColumns } from './table.ts'

/** See the top of the file. */
export async function run({ config, report, terminal }: Call): Promise<Outcome> {
  const directory = Directory.open(config.dataDir)
  try {
    const organizations = []
    for (const organization of directory.organizations()) {
      terminal.stop.throwIfAborted()
      const folder = join(config.dataDir, 'organizations', organization.id)
      const projects = await projectsOf(folder, organization.slug, report)
      organizations.push({ ...organization, projects, bytes: sizeOnDisk(folder) })
    }
    const rows = organizations.map(({ id, slug, name, members, projects, bytes }) => {
      return [id, slug, name, String(members), projects === null ? '?' : String(projects), sizeText(bytes)]
    })
    return {
      text: rows.length
        ? inColumns(['ID', 'SLUG', 'NAME', 'MEMBERS', 'PROJECTS', 'SIZE'], rows)
        : 'There are no organizations.',
      json: { organizations },
    }
  } finally {
    directory.close()
  }
}

/** Null when the repository cannot be read, which must not hide the other organizations. */
async function projectsOf(folder: string, slug: string, report: Report): Promise<number | null> {
  try {
    return await countProjects(folder)
  } catch (error) {
    report.log.warn({ err: error }, `the repository of ${slug} cannot be read, \`parlance verify\` says more`)
    return null
  }
}

/** Bytes for people, in powers of 1024. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
