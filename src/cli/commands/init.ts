/** `parlance init`: makes the app of this folder one of the server's projects. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSlug, type Format } from '../../bundle/names.ts'
import { type Api, projectPath } from '../api/client.ts'
import { CONFIG_FILE, checkConfig, type ParlanceConfig, readConfigFile } from '../config/file.ts'
import { shownUrl } from '../config/url.ts'
import type { Context, Run } from '../context.ts'
import { openLocal } from '../local/open.ts'
import type { LocalBundle, LocalProject, OwnFields } from '../local/types.ts'
import { writeFiles } from '../local/write-files.ts'
import { Problem } from '../problem.ts'
import { alone } from '../sync/alone.ts'
import { push } from '../sync/push.ts'
import { openScope } from '../sync/scope.ts'
import { counted } from '../terminal/table.ts'

interface Options {
  output?: string
  sourceLanguage?: string
  name?: string
  push: boolean
  yes?: boolean
}

/** With `--json`: `{ project, created, config, written, push }`; `push` is the document of `parlance push`, or null. */
export const run: Run<Options> = async (context, options) => {
  const { cwd: root, url } = await context.settings()
  const api = await context.api()
  const present = readConfigFile(root) ?? {}
  const own = { ...present, ...chosen(options) }
  const found = await openApp(context, root, own)
  const bundles = await found.read(await found.find())
  const slug = await slugOf(context, root)
  const project = await projectOf(api, slug)
  const exists = project !== undefined
  const saysNothing = bundles.length === 0 && found.configFile === undefined && own.languages === undefined
  const said: OwnFields = saysNothing && project ? fieldsOf(project, found.output) : {}
  const local = saysNothing && project ? await openLocal(root, { ...said, ...own }) : found
  const format = local.format(bundles.filter(({ file }) => file.language === local.sourceLanguage))
  if (project) refuseOther(slug, project, local, format, bundles)
  const config = configOf({ ...said, ...present }, local, { url: shownUrl(url.value!), slug, options })
  const text = `${JSON.stringify(config, null, 2)}\n`
  const changes = !existsSync(join(root, CONFIG_FILE)) || readFileSync(join(root, CONFIG_FILE), 'utf8') !== text

  const plan = [
    ...(exists
      ? [`uses the project ${slug}`]
      : [`creates the project ${slug} (${format}, source ${local.sourceLanguage})`]),
    ...(changes ? [`writes ${CONFIG_FILE}`] : []),
  ]
  if (!context.json) await context.out(`${foundText(local, bundles)}\nThis ${plan.join(' and ')}.\n`)
  if (!options.yes && !(await context.ask.confirm('Go on?', '--yes'))) throw new Problem('Nothing was done.')

  if (!exists)
    await create(api, { slug, name: options.name ?? slug, sourceLanguage: local.sourceLanguage, defaultFormat: format })
  const written = changes ? await writeFiles(root, [{ path: CONFIG_FILE, bytes: Buffer.from(text) }], context.stop) : []
  const pushed =
    bundles.length > 0 && options.push ? await firstPush(context, local, slug, options.yes === true) : undefined
  await context.print({ project: slug, created: !exists, config, written, push: pushed?.document ?? null }, () =>
    [
      exists ? `${slug} is the project of this folder.` : `Created ${slug}.`,
      pushed?.text() ?? 'Push the files with `parlance push`, get what is new with `parlance pull`.',
    ].join('\n'),
  )
  return pushed?.code
}

const chosen = ({ output, sourceLanguage }: Options): OwnFields =>
  checkConfig({ ...(output !== undefined && { output }), ...(sourceLanguage !== undefined && { sourceLanguage }) })

/** The app's files; where none are found a person may say where they will be. */
async function openApp(context: Context, root: string, own: ParlanceConfig): Promise<LocalProject> {
  try {
    return await openLocal(root, own)
  } catch (error) {
    const isUnknown = error instanceof Problem && error.where.file === undefined && own.output === undefined
    if (!isUnknown) throw error
    const initial = 'locales/{{language}}/{{namespace}}.json'
    if (!context.terminal.interactive) {
      throw new Problem(error.message, {
        exit: 2,
        hint: `Say where they will be: --output '${initial}'.`,
        cause: error,
      })
    }
    await context.out(`${error.message}\n`)
    const output = await context.ask.text('Where are they, or will they be?', '--output', { initial })
    return openLocal(root, { ...own, output })
  }
}

/** The slug that is given, else one that a person takes; the name of the package is a good guess. */
async function slugOf(context: Context, root: string): Promise<string> {
  const { project, root: nearest } = await context.settings()
  // The config of a folder above is that of another app.
  const isOurs = project.origin !== CONFIG_FILE || nearest.value === root
  if (project.value !== undefined && isOurs) return checkedSlug(project.value)
  const check = (value: string) => {
    try {
      checkSlug(value)
    } catch (error) {
      return (error as Error).message
    }
  }
  const initial = guess(root)
  return context.ask.text('Which project of the server is this?', '--project', { check, ...(initial && { initial }) })
}

function checkedSlug(slug: string): string {
  try {
    return checkSlug(slug)
  } catch (error) {
    throw new Problem((error as Error).message, { exit: 2, cause: error })
  }
}

function guess(root: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return checkSlug(String(name).replace(/^@[^/]*\//, ''))
  } catch {
    return undefined
  }
}

/** A project, as its manifest tells. */
interface Known {
  sourceLanguage: string
  languages: string[]
  defaultFormat: Format
}

async function projectOf(api: Api, slug: string): Promise<Known | undefined> {
  const { status, json } = await api.ask('GET', projectPath(slug), { accept: [200, 404] })
  return status === 404 ? undefined : json
}

/** What a folder that has no texts yet takes from the project: all its languages, and how its keys are written. */
const fieldsOf = ({ sourceLanguage, languages, defaultFormat }: Known, output: LocalProject['output']): OwnFields => ({
  ...(typeof output === 'string' && { output }),
  sourceLanguage,
  languages: [...new Set([sourceLanguage, ...languages])],
  ...(defaultFormat === 'i18next-json-flat' && { keySeparator: false }),
})

/** @throws Problem where the project is one that these files do not fit */
function refuseOther(
  slug: string,
  project: Known,
  { sourceLanguage }: LocalProject,
  format: Format,
  bundles: readonly LocalBundle[],
): void {
  if (project.sourceLanguage !== sourceLanguage) {
    throw new Problem(
      `The project ${slug} is written in ${project.sourceLanguage}, this app in ${sourceLanguage}, by its configuration.`,
      { hint: `Give --source-language ${project.sourceLanguage} if that is right, or another --project.` },
    )
  }
  const nests = bundles.some(({ branch }) => branch?.members.some(({ value }) => value.kind !== 'text'))
  if (project.defaultFormat !== format && (nests || format === 'i18next-json-flat')) {
    throw new Problem(
      `The project ${slug} keeps its keys as ${project.defaultFormat}, the files of this folder are ${format}.`,
      { hint: 'An admin can change the format of the project; or choose another with --project.' },
    )
  }
}

interface NewProject {
  slug: string
  name: string
  sourceLanguage: string
  defaultFormat: Format
}

async function create(api: Api, body: NewProject): Promise<void> {
  const { status, json } = await api.ask('POST', 'projects', { body, accept: [201, 403] })
  if (status !== 403) return
  throw new Problem(`The project ${body.slug} is not there, and this token may not create it: ${json.error}`, {
    hint: 'Ask an owner or admin to create it, or for a token that may write and is not limited to some projects.',
  })
}

/** What the config should say: what it says, the project, and what nothing else in the folder says. */
function configOf(
  present: ParlanceConfig,
  local: LocalProject,
  { url, slug, options }: { url: string; slug: string; options: Options },
): ParlanceConfig {
  const isFound = local.configFile === undefined
  return {
    $schema: `${url}/cli/parlance.config.schema.json`,
    ...(isFound && {
      output: local.output,
      sourceLanguage: local.sourceLanguage,
      languages: local.languages,
    }),
    ...present,
    ...chosen(options),
    url,
    project: slug,
  }
}

function foundText(
  { languages, sourceLanguage, configFile, output }: LocalProject,
  bundles: readonly LocalBundle[],
): string {
  const others = languages.filter(language => language !== sourceLanguage)
  const named = [`${sourceLanguage} (the source)`, ...others].join(', ')
  return `Found ${configFile ?? output}: ${counted(bundles.length, 'bundle')} of ${named}.`
}

/** Pushes what there is, once somebody has seen its plan or has said yes to all. */
async function firstPush(context: Context, local: LocalProject, slug: string, yes: boolean) {
  const settings = { ...(await context.settings()), project: { value: slug, origin: CONFIG_FILE } }
  const within: Context = { ...context, settings: async () => settings, project: async () => slug }
  return alone(local.root, context.stop, async () => {
    const scope = async (context: Context) => openScope(context, local, {})
    if (yes) return push(await scope(within), { yes })
    await push(await scope(within), { dryRun: true })
    if (!(await context.ask.confirm('Push this now?', '--yes'))) return undefined
    return push(await scope({ ...within, out: async () => {} }), {})
  })
}
