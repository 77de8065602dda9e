/** `parlance release`: creates and lists releases. */
import { release, releases as releasesShape } from '../api/answers.ts'
import { projectPath } from '../api/client.ts'
import type { Run } from '../context.ts'
import { inColumns } from '../terminal/table.ts'

/** With `--json`: `{ project, name, revision, createdAt, createdBy: { name, email } }`. */
export const create: Run = async (context, _options, [name]) => {
  const [api, project] = [await context.api(), await context.project()]
  const { json } = await api.ask('POST', projectPath(project, 'releases'), release, { body: { name } })
  await context.print({ project, ...json }, () => {
    return [
      `${json.name} is ${project} at revision ${json.revision}, for good.`,
      `To read it: parlance pull --at ${json.name}`,
    ].join('\n')
  })
}

/**
 * With `--json`: `{ project, releases: [ { name, revision, createdAt, createdBy: { name, email } } ] }`, the newest
 * first.
 */
export const list: Run = async context => {
  const [api, project] = [await context.api(), await context.project()]
  const { releases } = (await api.ask('GET', projectPath(project, 'releases'), releasesShape)).json
  await context.print({ project, releases }, () => {
    if (releases.length === 0) return `Project ${project} has no release. To create one: parlance release create v1`
    const rows = releases.map(({ name, revision, createdAt, createdBy }) => {
      return [name, revision.slice(0, 7), createdAt.slice(0, 16).replace('T', ' '), createdBy.name]
    })
    return inColumns(['RELEASE', 'REVISION', 'TIME (UTC)', 'BY'], rows)
  })
}
