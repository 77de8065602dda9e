/** `parlance export`: all bundles of a project, as files of a folder or of a zip. */
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Context, Run } from '../context.ts'
import { refuseCaseTwins } from '../local/case-twins.ts'
import { fill } from '../local/template.ts'
import { writeFiles } from '../local/write-files.ts'
import { zipOf } from '../local/zip.ts'
import { Problem, usage } from '../problem.ts'
import { placeOf } from '../sync/compare.ts'
import type { Narrowing } from '../sync/scope.ts'
import { readServer } from '../sync/server-bundles.ts'
import { counted } from '../terminal/table.ts'

interface Options extends Narrowing {
  at?: string
  template: string
  yes?: boolean
}

interface Content {
  path: string
  bytes: Buffer
}

/** With `--json`: `{ revision, files }`, or for a zip `{ revision, file }`. */
export const run: Run<Options> = async (context, options, [target]) => {
  if (target === '-') throw usage('An export goes to a folder or a .zip file, not to standard output.')
  const path = resolve((await context.settings()).cwd, target!)
  const asked = { at: options.at, languages: options.language, namespaces: options.namespace }
  const isZip = /\.zip$/i.test(path)
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
  if (isZip) return writeZip(context, path, files, revision)
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

/** The same files as in a folder, by the same checks: the server's own zip could name any path. */
async function writeZip(context: Context, path: string, files: Content[], revision: string): Promise<0> {
  refuseCaseTwins(files.map(file => file.path))
  await writeFiles(dirname(path), [{ path: basename(path), bytes: zipOf(files) }], context.stop)
  await context.print({ revision, file: path }, () => `${path} written.`)
  return 0
}
