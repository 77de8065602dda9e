/** `parlance types`: TypeScript declarations of the project's keys, for i18next's `t()`. */
import { readFile } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import { changeEvent, types } from '../api/answers.ts'
import { projectPath } from '../api/client.ts'
import { readManifest } from '../api/key-name.ts'
import { readStatus } from '../api/status.ts'
import type { Context, Run } from '../context.ts'
import { configuredApp } from '../local/open.ts'
import type { LocalProject } from '../local/types.ts'
import { writeFiles } from '../local/write-files.ts'
import { usage } from '../problem.ts'
import { exclude } from '../sync/scope.ts'

interface Options {
  output?: string
  watch?: boolean
  check?: boolean
}

/**
 * With `--json`: `{ project, file, changed }` for `--output`, after each change with `--watch`; `{ project, file,
 * upToDate }` with `--check`, and exit code 1 for an old file; else `{ project, types }` with the text itself.
 */
export const run: Run<Options> = async (context, { output, watch, check }) => {
  exclude({ watch, check }, ['watch', 'check'])
  const needsFile = watch ? '--watch' : check ? '--check' : undefined
  if (needsFile && output === undefined) throw usage(`${needsFile} needs a file.`, { hint: 'Give --output <file>.' })
  const project = await context.project()
  const app = await configuredApp(context)
  if (output === undefined) {
    const types = await read(context, project, app)
    return context.print({ project, types }, () => types)
  }
  const { cwd } = await context.settings()
  const file = resolve(cwd, output)
  refuseTypesOutput(file, app)
  if (check) {
    const upToDate = await isSo(file, await read(context, project, app))
    const says = upToDate ? 'is up to date.' : 'is out of date: the same command without --check writes it.'
    await context.print({ project, file, upToDate }, () => `${relative(cwd, file)} ${says}`)
    return upToDate ? 0 : 1
  }
  const write = async () => {
    const changed = await update(context, file, await read(context, project, app))
    await context.print(
      { project, file, changed },
      () => `${relative(cwd, file)} ${changed ? 'is written' : 'is up to date'}.`,
    )
  }
  if (!watch) return write()
  const api = await context.api()
  const { sourceLanguage } = await readManifest(context)
  // Read before the first write: the events then include all later changes.
  const { revision } = await readStatus(api, project, { languages: sourceLanguage ? [sourceLanguage] : [] })
  await write()
  await context.err('Waiting for changes; Ctrl-C ends it.\n')
  for await (const { event, data } of api.events(projectPath(project, 'events'), changeEvent, { lastId: revision })) {
    const isOfSource = ({ language }: { language: string }) => language === sourceLanguage
    if (event === 'reset' || data.bundles.some(isOfSource)) await write()
  }
}

/** Refuses the file that i18next-cli writes: both would replace it each time. */
function refuseTypesOutput(file: string, app: LocalProject | undefined): void {
  if (app?.typesOutput === undefined || resolve(app.root, app.typesOutput) !== file) return
  throw usage(`${app.typesOutput} is written by i18next-cli: it is the types.output of ${app.configFile}.`, {
    hint: 'Give --output another file, or remove types.output from that config.',
  })
}

async function read(context: Context, project: string, app: LocalProject | undefined): Promise<string> {
  const { namespaces } = await readManifest(context)
  const wanted = app?.defaultNamespace
  const defaultNS = wanted && namespaces.includes(wanted) ? wanted : undefined
  const api = await context.api()
  const sending = { query: { defaultNS }, type: 'text/plain' }
  return (await api.ask('GET', projectPath(project, 'types.d.ts'), types, sending)).json
}

/** @returns whether the file changed: an up-to-date file is not touched, so that no watcher wakes */
async function update({ stop }: Context, file: string, types: string): Promise<boolean> {
  if (await isSo(file, types)) return false
  await writeFiles(dirname(file), [{ path: basename(file), bytes: Buffer.from(types) }], stop)
  return true
}

async function isSo(file: string, types: string): Promise<boolean> {
  const present = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return present?.equals(Buffer.from(types)) === true
}
