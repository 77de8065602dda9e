/** `parlance types`: TypeScript declarations of the project's keys, for i18next's `t()`. */
import { mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import { projectPath } from '../api/client.ts'
import { readManifest } from '../api/key-name.ts'
import { readStatus } from '../api/status.ts'
import type { Context, Run } from '../context.ts'
import { configuredApp } from '../local/app.ts'
import type { LocalProject } from '../local/types.ts'
import { writeFiles } from '../local/write-files.ts'
import { usage } from '../problem.ts'

interface Options {
  output?: string
  watch?: boolean
}

/**
 * With `--json`: `{ project, file, changed }` for `--output`, after each look with `--watch`; else `{ project, types
 * }`, the text itself.
 */
export const run: Run<Options> = async (context, { output, watch }) => {
  if (watch && output === undefined) throw usage('--watch needs a file to write to.', { hint: 'Give --output <file>.' })
  const project = await context.project()
  const app = await configuredApp(context)
  if (output === undefined) {
    const types = await read(context, project, app)
    return context.print({ project, types }, () => types)
  }
  const { cwd } = await context.settings()
  const file = resolve(cwd, output)
  refuseTheirs(file, app)
  const write = async () => {
    const changed = await keep(context, file, await read(context, project, app))
    await context.print(
      { project, file, changed },
      () => `${relative(cwd, file)} ${changed ? 'is written' : 'is up to date'}.`,
    )
  }
  if (!watch) return write()
  const api = await context.api()
  const { sourceLanguage } = await readManifest(context)
  // Asked before the first look: what changes behind it is told.
  const { revision } = await readStatus(api, project, { languages: sourceLanguage ? [sourceLanguage] : [] })
  await write()
  await context.err('Waiting for changes; Ctrl-C ends it.\n')
  for await (const { event, data } of api.events(projectPath(project, 'events'), { lastId: revision })) {
    const isOfSource = ({ language }: { language: string }) => language === sourceLanguage
    if (event === 'reset' || data.bundles.some(isOfSource)) await write()
  }
}

/** i18next-cli writes that file anew each time, and so would this: neither could be trusted. */
function refuseTheirs(file: string, app: LocalProject | undefined): void {
  if (app?.typesOutput === undefined || resolve(app.root, app.typesOutput) !== file) return
  throw usage(`${app.typesOutput} is written by i18next-cli: it is the types.output of ${app.configFile}.`, {
    hint: 'Give --output another file, or take types.output out of that config.',
  })
}

async function read(context: Context, project: string, app: LocalProject | undefined): Promise<string> {
  const { namespaces } = await readManifest(context)
  const wanted = app?.defaultNamespace
  const defaultNS = wanted && namespaces.includes(wanted) ? wanted : undefined
  const api = await context.api()
  return (await api.ask('GET', projectPath(project, 'types.d.ts'), { query: { defaultNS } })).text
}

/** Whether the file was not so already; one that is so is not touched, so that no watcher of it wakes. */
async function keep({ stop }: Context, file: string, types: string): Promise<boolean> {
  const bytes = Buffer.from(types)
  const present = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (present?.equals(bytes)) return false
  await mkdir(dirname(file), { recursive: true })
  await writeFiles(dirname(file), [{ path: basename(file), bytes }], stop)
  return true
}
