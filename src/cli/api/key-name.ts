/** Which key is meant on a command line: `common:nav.home`, or `nav.home` in the namespace that the app takes by default. */
import type { Context } from '../context.ts'
import { configuredApp } from '../local/app.ts'
import { UNNAMED } from '../local/types.ts'
import { usage } from '../problem.ts'
import { manifest } from './answers.ts'
import { projectPath } from './client.ts'
import type { Of } from './shape.ts'

/** A key of the model, or the name of one of its forms. */
export interface KeyName {
  namespace: string
  key: string
}

/** What there is of a project at a time; without any where there was no project. */
export type Manifest = Pick<Of<typeof manifest>, 'languages' | 'namespaces'> & { sourceLanguage: string | undefined }

/** @param at a revision, release or time; now by default @throws Problem, but not where there is no such project */
export async function readManifest(context: Context, at?: string): Promise<Manifest> {
  const [api, project] = [await context.api(), await context.project()]
  const sending = { query: { at }, accept: [200, 404] }
  const { status, json } = await api.ask('GET', projectPath(project), manifest, sending)
  return status === 200 ? json : { sourceLanguage: undefined, languages: [], namespaces: [] }
}

/**
 * What stands before the app's `nsSeparator` counts as a namespace where the project has one of that name: a sentence
 * may be a key, and have a colon in it. Runs the app's i18next config, where it has one.
 * @param namespace when it is known: then the operand is the key as it stands
 * @param known the project, where it was read before
 * @throws Problem (exit 2) where no namespace is named and none is the default
 */
export async function keyOf(
  context: Context,
  operand: string,
  namespace: string | undefined,
  known?: Manifest,
): Promise<KeyName> {
  if (namespace !== undefined) return { namespace, key: operand }
  const { namespaces } = known ?? (await readManifest(context))
  const { nsSeparator: separator = ':', defaultNamespace } =
    (await configuredApp(context)) ?? (await context.settings()).config
  const cut = separator === false ? -1 : operand.indexOf(separator)
  const prefix = operand.slice(0, Math.max(0, cut))
  if (separator !== false && namespaces.includes(prefix)) {
    return { namespace: prefix, key: operand.slice(cut + separator.length) }
  }
  const named = defaultNamespace || UNNAMED
  const only = namespaces.length === 1 ? namespaces[0] : undefined
  const found = namespaces.includes(named) ? named : only
  if (found !== undefined) return { namespace: found, key: operand }
  const shown = namespaces.length === 0 ? '' : ` The project has ${namespaces.slice(0, 8).join(', ')}.`
  throw usage(`In which namespace is ${JSON.stringify(operand)}?`, {
    hint: `Write ${separator === false ? '' : `<namespace>${separator}${operand}, or `}give --namespace.${shown}`,
  })
}
