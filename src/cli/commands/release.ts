/** `parlance release`: names the state of now, which builds then read, and lists such names. */
import { projectPath } from '../api/client.ts'
import type { Run } from '../context.ts'
import { inColumns } from '../terminal/table.ts'

interface Release {
  name: string
  revision: string
  /** ISO 8601. */
  createdAt: string
  createdBy: { name: string; email: string }
}

/** With `--json`: `{ project, name, revision, createdAt, createdBy: { name, email } }`. */
export const create: Run = async (context, _options, [name]) => {
  const [api, project] = [await context.api(), await context.project()]
  const { json } = await api.ask('POST', projectPath(project, 'releases'), { body: { name } })
  await context.print({ project, ...json }, () => {
    const release: Release = json
    return [
      `${release.name} is ${project} at revision ${release.revision}, for good.`,
      `To read it: parlance pull --at ${release.name}`,
    ].join('\n')
  })
}

/**
 * With `--json`: `{ project, releases: [ { name, revision, createdAt, createdBy: { name, email } } ] }`, the newest
 * first.
 */
export const list: Run = async context => {
  const [api, project] = [await context.api(), await context.project()]
  const releases: Release[] = (await api.ask('GET', projectPath(project, 'releases'))).json.releases
  await context.print({ project, releases }, () => {
    if (releases.length === 0) return `Project ${project} has no release. To make one: parlance release create v1`
    const rows = releases.map(({ name, revision, createdAt, createdBy }) => {
      return [name, revision.slice(0, 7), createdAt.slice(0, 16).replace('T', ' '), createdBy.name]
    })
    return inColumns(['RELEASE', 'REVISION', 'TIME (UTC)', 'BY'], rows)
  })
}
