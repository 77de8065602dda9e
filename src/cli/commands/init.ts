/** `parlance init`: connects the app of this folder with a project of the server. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseResource, renderBundle } from '../../bundle/canonical.ts'
import { checkInterpolation, checkSlug, type Format } from '../../bundle/names.ts'
import type { Interpolation } from '../../bundle/placeholders.ts'
import { readFragment } from '../../bundle/resource.ts'
import { manifest } from '../api/answers.ts'
import { type Api, projectPath } from '../api/client.ts'
import { anything } from '../api/shape.ts'
import { CONFIG_FILE, checkConfig, type ParlanceConfig, readConfigFile } from '../config/file.ts'
import { shownUrl } from '../config/url.ts'
import type { Context, Run } from '../context.ts'
import { withAllFaults } from '../local/faults.ts'
import type { LocalBundle, LocalFile } from '../local/local-bundle.ts'
import { openLocal } from '../local/open.ts'
import type { LocalProject, OwnFields } from '../local/types.ts'
import { checkWritable, writeFiles } from '../local/write-files.ts'
import { checkUsage, Problem, usage } from '../problem.ts'
import { bundleOf, placed } from '../sync/compare.ts'
import { withFolderLock } from '../sync/folder-lock.ts'
import { push } from '../sync/push.ts'
import { openScope } from '../sync/scope.ts'
import { openApp, type ProjectManifest, refuseNoFiles, withSource } from './init-app.ts'
import { foundText, rulesText, summaryOf } from './init-text.ts'

interface Options {
  output?: string
  sourceLanguage?: string
  name?: string
  leaveOut?: string[]
  push: boolean
  yes?: boolean
}

/**
 * With `--json`: `{ project, created, found, config, written, leftOut, others, push }`; `found` is `{ output,
 * sourceLanguage, languages, namespaces, keySeparator, nsSeparator, interpolation? }`, `others` lists
 * `{ output, languages, files }` of other folders, `push` the document of `parlance push`, or null.
 */
export const run: Run<Options> = async (context, options) => {
  const { cwd: root, url } = await context.settings()
  const api = await context.api()
  const present = readConfigFile(root) ?? {}
  const own = { ...present, ...chosen(options, present) }
  const { local: opened, others } = await openApp(context, root, own)
  const { slug, isGuessed } = await slugOf(context, root, options.yes === true)
  const project = await projectOf(api, slug)
  if (project && isGuessed) {
    throw usage(`There is a project ${slug} already, and nothing says that it is this app's.`, {
      hint: `Give --project ${slug} if it is, or another slug.`,
    })
  }
  const found = await withSource(context, opened, own, project)
  const bundles = await withAllFaults(
    found,
    () => true,
    async () => found.read(await found.find()),
  )
  const saysNothing = bundles.length === 0 && found.configFile === undefined && own.languages === undefined
  const said: OwnFields = saysNothing && project ? fieldsOf(project, found.output) : {}
  const local = saysNothing && project ? await openLocal(root, { ...said, ...own }) : found
  const format = local.format(bundles.filter(({ file }) => file.language === local.sourceLanguage))
  const leftOut = await local.leftOut()
  await refuseNoFiles(local, bundles.length, leftOut, project !== undefined)
  if (project) refuseOther(slug, project, local, format, bundles)
  else if (local.interpolationFault) throw usage(local.interpolationFault, { file: local.configFile })
  await withAllFaults(
    local,
    () => true,
    async () => {
      refuseNameTwins(bundles)
      for (const bundle of bundles) checkBundle(bundle, format)
    },
  )
  const config = configOf({ ...said, ...present }, local, { url: shownUrl(url.value!), slug, options })
  const text = `${JSON.stringify(config, null, 2)}\n`
  const changes = !existsSync(join(root, CONFIG_FILE)) || readFileSync(join(root, CONFIG_FILE), 'utf8') !== text
  checkWritable(root, [CONFIG_FILE, '.parlance/state.json'])

  const plan = [
    ...(project
      ? [`uses the project ${slug}`]
      : [`creates the project ${slug} (${format}, source ${local.sourceLanguage})`]),
    ...(changes ? [`writes ${CONFIG_FILE}`] : []),
  ]
  if (!context.json) {
    const found = foundText(local, bundles, leftOut, others)
    await context.out(`${found}\n${rulesText(local, format, project)}This ${plan.join(' and ')}.\n`)
  }
  if (!options.yes && !(await context.ask.confirm('Go on?', '--yes'))) throw new Problem('Nothing was done.')

  const pushes = bundles.length > 0 && options.push
  // A refusal of the server comes before the first file is written.
  if (project && pushes) await tryPush(context, local, slug, options.yes !== true)
  if (!project)
    await create(api, {
      ...{ slug, name: options.name ?? slug, sourceLanguage: local.sourceLanguage, defaultFormat: format },
      interpolation: local.interpolation && checkInterpolation(local.interpolation),
    })
  const written = changes ? await writeFiles(root, [{ path: CONFIG_FILE, bytes: Buffer.from(text) }], context.stop) : []
  const pushed = pushes
    ? await firstPush(context, local, slug, { yes: options.yes === true, isShown: project !== undefined })
    : undefined
  const document = {
    project: slug,
    created: !project,
    found: summaryOf(local, bundles),
    config,
    written,
    leftOut,
    others,
    push: pushed?.document ?? null,
  }
  await context.print(document, () =>
    [
      project ? `${slug} is the project of this folder.` : `Created ${slug}.`,
      pushed?.text() ?? 'Push the files with `parlance push`, get what is new with `parlance pull`.',
    ].join('\n'),
  )
  return pushed?.code
}

/** The fields that the options choose. Keys to leave out are added to those of the present config. */
const chosen = ({ output, sourceLanguage, leaveOut }: Options, { ignore = [] }: ParlanceConfig): ParlanceConfig =>
  checkConfig({
    ...(output !== undefined && { output }),
    ...(sourceLanguage !== undefined && { sourceLanguage }),
    ...(leaveOut && { ignore: [...new Set([...ignore, ...leaveOut])] }),
  })

/** The given slug, else one by a question. The name of the package or of the folder is the suggestion. */
async function slugOf(context: Context, root: string, yes: boolean): Promise<{ slug: string; isGuessed: boolean }> {
  const { project, root: nearest } = await context.settings()
  // A config in a parent folder belongs to another app.
  const isOurs = project.origin !== CONFIG_FILE || nearest.value === root
  if (project.value !== undefined && isOurs)
    return { slug: checkUsage(() => checkSlug(project.value)), isGuessed: false }
  const check = (value: string) => {
    try {
      checkSlug(value)
    } catch (error) {
      return (error as Error).message
    }
  }
  const initial = guess(root)
  if (initial !== undefined && yes && !context.terminal.interactive) return { slug: initial, isGuessed: true }
  const question = 'Which project of the server is this?'
  const slug = await context.ask.text(question, '--project', { check, ...(initial && { initial }) })
  return { slug, isGuessed: false }
}

/** A slug by the name of the package or the folder. */
function guess(root: string): string | undefined {
  for (const name of [packageName(root), basename(root)]) {
    const slug = name
      ?.replace(/^@[^/]*\//, '')
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
    try {
      return checkSlug(slug)
    } catch {}
  }
  return undefined
}

function packageName(root: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

async function projectOf(api: Api, slug: string): Promise<ProjectManifest | undefined> {
  const { status, json } = await api.ask('GET', projectPath(slug), manifest, { accept: [200, 404] })
  return status === 404 ? undefined : json
}

/** The fields of a folder without texts: languages and separator of the project. */
const fieldsOf = (
  { sourceLanguage, languages, defaultFormat }: ProjectManifest,
  output: LocalProject['output'],
): OwnFields => ({
  ...(typeof output === 'string' && { output }),
  sourceLanguage,
  languages: [...new Set([sourceLanguage, ...languages])],
  ...(defaultFormat === 'i18next-json-flat' && { keySeparator: false }),
})

/** @throws Problem for a project that does not fit the files */
function refuseOther(
  slug: string,
  project: ProjectManifest,
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
    throw new Problem(`The project ${slug} is ${project.defaultFormat}, and the files of this folder are ${format}.`, {
      hint: 'An admin can change the format of the project; or choose another with --project.',
    })
  }
}

interface NewProject {
  slug: string
  name: string
  sourceLanguage: string
  defaultFormat: Format
  interpolation: Interpolation | undefined
}

async function create(api: Api, body: NewProject): Promise<void> {
  const { status, error } = await api.ask('POST', 'projects', anything, { body, accept: [201, 403] })
  if (status !== 403) return
  throw new Problem(`The project ${body.slug} does not exist, and this token may not create it: ${error}`, {
    hint: 'Ask an owner or admin to create it, or for a token that may write and is not limited to some projects.',
  })
}

/** The config to write: present fields, the project, and fields that nothing else in the folder has. */
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
      // Names on disk, as `pt_BR`. `languageNames` has the others.
      languages: local.languages.map(tag => (present.languageNames?.[local.nameOf(tag)] ? tag : local.nameOf(tag))),
    }),
    ...(local.layout !== 'files' && {
      mergeNamespaces: local.layout === 'merged',
      ...(typeof local.layout === 'object' && !local.configFile && { defaultNamespace: local.layout.only }),
    }),
    ...present,
    ...chosen(options, present),
    url,
    project: slug,
  }
}

/** Refuses what the server refuses, before there is a project. @throws Problem for names that differ only in case */
function refuseNameTwins(bundles: readonly LocalBundle[]): void {
  for (const kind of ['language', 'namespace'] as const) {
    const first = new Map<string, LocalFile>()
    for (const { file } of bundles) {
      const like = first.get(file[kind].toLowerCase()) ?? file
      first.set(file[kind].toLowerCase(), like)
      if (like[kind] === file[kind]) continue
      const [name, twin] = [JSON.stringify(file[kind]), JSON.stringify(like[kind])]
      throw new Problem(`The ${kind} ${name} differs only in case from ${twin} of ${like.path}.`, {
        file: file.path,
        hint: `Rename one of them, or leave it out by "${kind === 'language' ? 'languages' : 'ignoreNamespaces'}" in ${CONFIG_FILE}.`,
      })
    }
  }
}

/** Checks a bundle before there is a project. @throws Problem with the position of a key that a push would refuse */
function checkBundle(bundle: LocalBundle, format: Format): void {
  const resource = parseResource(renderBundle(bundleOf(bundle, format)))
  placed(bundle, () => readFragment(resource, { format, language: bundle.file.language }))
}

function scopeOf(context: Context, local: LocalProject, slug: string, isShown: boolean) {
  const settings = context.settings().then(all => ({ ...all, project: { value: slug, origin: CONFIG_FILE } }))
  const within: Context = { ...context, settings: () => settings, project: async () => slug }
  return openScope(isShown ? within : { ...within, out: async () => {} }, local, {})
}

/** A push that changes nothing. @param isShown whether its plan is printed */
const tryPush = async (context: Context, local: LocalProject, slug: string, isShown: boolean) =>
  push({ ...(await scopeOf(context, local, slug, isShown)), isStateless: true }, { dryRun: true, notes: false })

/** Pushes after a person saw the plan, or with `--yes`. @param isShown whether the plan was printed */
async function firstPush(
  context: Context,
  local: LocalProject,
  slug: string,
  { yes, isShown }: { yes: boolean; isShown: boolean },
) {
  return withFolderLock(local.root, context.stop, async () => {
    if (yes) return push(await scopeOf(context, local, slug, true), { yes })
    if (!isShown) await tryPush(context, local, slug, true)
    if (!(await context.ask.confirm('Push this now?', '--yes'))) return undefined
    return push(await scopeOf(context, local, slug, false), {})
  })
}
