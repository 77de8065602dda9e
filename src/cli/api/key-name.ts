/** Keys of a command line: `common:nav.home`, or `nav.home` in the default namespace. */
import type { Context } from '../context.ts'
import { configuredApp } from '../local/open.ts'
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

export type Manifest = Of<typeof manifest>

/** The languages and namespaces of a project; none if the project was missing. */
export type KnownNames = Pick<Manifest, 'languages' | 'namespaces'> & { sourceLanguage: string | undefined }

/** The project. @throws Problem also for a missing one */
export const needManifest = async (context: Context): Promise<Manifest> =>
  (await (await context.api()).ask('GET', projectPath(await context.project()), manifest)).json

/** @param at a revision, release or time; now by default @throws Problem, but not for a missing project */
export async function readManifest(context: Context, at?: string): Promise<KnownNames> {
  const [api, project] = [await context.api(), await context.project()]
  const sending = { query: { at }, accept: [200, 404] }
  const { status, json } = await api.ask('GET', projectPath(project), manifest, sending)
  return status === 200 ? json : { sourceLanguage: undefined, languages: [], namespaces: [] }
}

/**
 * Splits an operand at the app's `nsSeparator` if the project has a namespace of that name. Otherwise the separator is
 * a part of the key, as in a sentence with a colon. Runs the app's i18next config.
 * @param namespace if it is known: the whole operand is then the key
 * @param known the project, if it was read before
 * @throws Problem (exit 2) without a namespace or a default one
 */
export async function keyOf(
  context: Context,
  operand: string,
  namespace: string | undefined,
  known?: KnownNames,
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
  throw usage(`The namespace of ${JSON.stringify(operand)} is missing.`, {
    hint: `Write ${separator === false ? '' : `<namespace>${separator}${operand}, or `}give --namespace.${shown}`,
  })
}
