/** `parlance export`: all bundles of a project, as files of a folder or as the server's zip. */
import { createWriteStream } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { projectPath } from '../api/client.ts'
import type { Context, Run } from '../context.ts'
import { RUN } from '../local/alive.ts'
import { fill } from '../local/template.ts'
import { makeFolder, writeFiles } from '../local/write-files.ts'
import { Problem, usage } from '../problem.ts'
import { placeOf } from '../sync/compare.ts'
import type { Narrowing } from '../sync/scope.ts'
import { type Asked, readServer } from '../sync/server-bundles.ts'
import { counted } from '../terminal/table.ts'

interface Options extends Narrowing {
  at?: string
  template: string
  yes?: boolean
}

/** With `--json`: `{ revision, files }`, or for a zip `{ revision, file }`. */
export const run: Run<Options> = async (context, options, [target]) => {
  if (target === '-') throw usage('An export goes to a folder or a .zip file, not to standard output.')
  const path = resolve((await context.settings()).cwd, target!)
  const asked = { at: options.at, languages: options.language, namespaces: options.namespace }
  if (/\.zip$/i.test(path)) return writeZip(context, path, asked)
  const [api, project] = [await context.api(), await context.project()]
  const { bundles, revision } = (await readServer(api, project, asked))!
  const files = Array.from(bundles, ([name, bytes]) => {
    const { language, namespace } = placeOf(name)
    return { path: fill(options.template, '--template', language, namespace), bytes }
  })
  const twice = files.find(({ path }, at) => files.findIndex(other => other.path === path) !== at)
  if (twice) {
    throw new Problem(`${twice.path} would be the file of several bundles.`, {
      exit: 2,
      hint: 'Put {{language}} and {{namespace}} into --template.',
    })
  }
  const present = await Promise.all(files.map(file => readFile(join(path, file.path)).catch(() => undefined)))
  const differing = files.filter(({ bytes }, at) => !present[at]?.equals(bytes))
  const over = files.filter(({ bytes }, at) => present[at] && !present[at].equals(bytes)).length
  if (
    over > 0 &&
    !options.yes &&
    !(await context.ask.confirm(`Overwrite ${counted(over, 'file')} in ${target}?`, '--yes'))
  ) {
    throw new Problem('Nothing was written.')
  }
  const written = await writeFiles(path, differing, context.stop)
  await context.print({ revision, files: written }, () => `${counted(written.length, 'file')} written to ${target}.`)
  return 0
}

async function writeZip(context: Context, path: string, { at, languages, namespaces }: Asked): Promise<0> {
  const [api, project] = [await context.api(), await context.project()]
  const response = await api.stream(projectPath(project, 'export'), {
    query: { at, language: languages, namespace: namespaces },
    type: 'application/zip',
  })
  const aside = `${path}.${RUN}.tmp`
  try {
    makeFolder(dirname(path))
    await pipeline(response.body, createWriteStream(aside, { flags: 'wx' }), {
      signal: context.stop,
    })
    await rename(aside, path)
  } finally {
    await rm(aside, { force: true })
  }
  await context.print({ revision: response.headers['parlance-revision'], file: path }, () => `${path} written.`)
  return 0
}
