/** `parlance organization export`: one organization's main and tags as a git bundle file. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Failure } from '../bundle/errors.ts'
import { hasRepository } from '../store/create-repository.ts'
import { type BundleFile, writeBundle } from '../store/git/bundle.ts'
import { waitForSeal } from '../store/sealed.ts'
import { Store } from '../store/store.ts'
import type { Call } from './call.ts'
import { aloneOrBeside, findOrganization } from './data-folder.ts'
import { sizeText } from './organization-list.ts'
import type { Outcome } from './report.ts'

interface Options {
  output: string
}

const BEHIND = 'A server is running and has not sealed its last writes for ten seconds: those are not in the file.'

/** See the top of the file. */
export async function run({ config, options, operands, report, terminal }: Call<Options>): Promise<Outcome> {
  const { dataDir } = config
  const { id, slug } = findOrganization(dataDir, operands[0]!)
  const output = resolve(options.output)
  if (!existsSync(dirname(output))) throw new Failure('not-found', `There is no folder ${dirname(output)} to write to.`)
  const directory = join(dataDir, 'organizations')
  const workTree = join(directory, id)
  const { stop } = terminal
  // To open it would make an empty one.
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
  const tags = file.tags === 1 ? '1 tag' : `${file.tags} tags`
  return {
    text: `Wrote ${output}: ${sizeText(file.bytes)}, main at ${file.revision}, ${tags}.\n\`git clone ${options.output}\` makes a repository of it.`,
    json: { organization: { id, slug }, file: output, ...file, ...(whole ? {} : { warning: BEHIND }) },
  }
}
