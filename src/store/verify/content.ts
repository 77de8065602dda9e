/** The files at HEAD: their names, and whether they are the canonical bytes that the server would write. */
import { posix } from 'node:path'
import { parseBundle, renderBundle } from '../../bundle/canonical.ts'
import { glossaryBytes, glossaryPath, parseGlossary } from '../../project/glossary-file.ts'
import { classify, reason } from '../../project/judge.ts'
import { projectIn } from '../../project/layout.ts'
import { localesPath, parseProject, projectPath, renderProject } from '../../project/project.ts'
import { filesOfSidecar, SIDECAR_NAMES, SIDECARS, sidecarFolder, sidecarPath } from '../../project/sidecars/sidecars.ts'
import { slices } from '../../scheduling/slices.ts'
import type { Snapshot } from '../snapshot.ts'
import type { VerifyContext } from './finding.ts'

const MENDED = 'Nothing: the next start mends it by a commit on top.'
const ADVICE =
  'While the server runs, put a good version of the file into the work tree, or restore it from its history: it becomes a commit.'

/** Reads all files, one at a time. @param moved whether the next start mends people's waiting commits */
export async function verifyContent(
  { signal, progress, report }: Pick<VerifyContext, 'signal' | 'progress' | 'report'>,
  snapshot: Snapshot,
  moved: boolean,
): Promise<void> {
  let files = 0
  const pause = slices()
  const wrong = (path: string, what: string) =>
    moved ? report.note(path, what, MENDED) : report.error(path, what, ADVICE)
  const judge = async (path: string, canonical: (bytes: Buffer) => Buffer) => {
    signal.throwIfAborted()
    try {
      const bytes = snapshot.read(path)
      if (bytes && !canonical(bytes).equals(bytes)) wrong(path, 'The file at HEAD is not in canonical form.')
    } catch (error) {
      wrong(path, `The file at HEAD breaks the rules: ${reason(error)}`)
    }
    if (++files % 100 === 0) progress(`${files} files at HEAD read`)
    await pause()
  }

  const judgeGlossary = (slug?: string) =>
    judge(glossaryPath(slug), bytes => glossaryBytes(parseGlossary(bytes)) ?? Buffer.alloc(0))
  await judgeGlossary()
  const slugs = foldersIn(snapshot, '').filter(slug => classify(projectPath(slug)))
  caseVariants('projects', slugs, '', wrong)
  for (const slug of foldersIn(snapshot, '')) {
    const bundles = bundlesIn(snapshot, slug)
    for (const path of bundles) {
      const place = classify(path)
      if (place?.kind === 'misnamed') wrong(path, `The file at HEAD is misnamed: ${place.error}`)
    }
    const places = bundles.filter(path => classify(path)?.kind === 'bundle')
    const hasProject = snapshot.entry(projectPath(slug)) !== undefined
    if (!hasProject && places.length === 0) continue
    if (!hasProject) {
      wrong(
        projectPath(slug),
        `The project ${slug} has bundles at HEAD and no project.json, so no client can read them.`,
      )
      continue
    }
    await judgeGlossary(slug)
    await judge(projectPath(slug), bytes => renderProject(parseProject(slug, bytes)))
    const languages = [...new Set(places.map(path => path.split('/')[2]!))]
    const namespaces = [...new Set(places.map(path => path.split('/')[3]!))]
    caseVariants('languages', languages, localesPath(slug), wrong)
    caseVariants('namespaces', namespaces, localesPath(slug), wrong)
    const project = projectIn(snapshot, slug)
    if (project === undefined) continue
    for (const path of places) {
      await judge(path, bytes => renderBundle(parseBundle(bytes, project.defaultFormat)))
    }
    for (const sidecar of SIDECAR_NAMES) {
      const files = filesOfSidecar(snapshot, slug, sidecar)
      const folders = Map.groupBy(files, ({ language }) => language)
      const languages = [...folders.keys()].filter(language => language !== undefined)
      caseVariants('languages', languages, sidecarFolder(slug, sidecar), wrong)
      for (const [language, inFolder] of folders) {
        const names = inFolder.map(({ namespace }) => namespace)
        caseVariants('namespaces', names, sidecarFolder(slug, sidecar, language), wrong)
      }
      for (const file of files) {
        await judge(sidecarPath(file), bytes => SIDECARS[sidecar].canonical(bytes) ?? Buffer.alloc(0))
      }
    }
  }
}

const foldersIn = (snapshot: Snapshot, path: string) =>
  snapshot
    .list(path)
    .filter(({ kind, name }) => kind === 'tree' && !name.startsWith('.'))
    .map(({ name }) => name)

function bundlesIn(snapshot: Snapshot, slug: string): string[] {
  const locales = localesPath(slug)
  return foldersIn(snapshot, locales).flatMap(language => {
    const folder = `${locales}/${language}`
    return snapshot.list(folder).flatMap(({ kind, name }) => (kind === 'blob' ? `${folder}/${name}` : []))
  })
}

function caseVariants(
  what: string,
  names: string[],
  folder: string,
  wrong: (path: string, what: string) => void,
): void {
  const known = new Map<string, string>()
  for (const name of names) {
    const other = known.get(name.toLowerCase())
    if (other !== undefined)
      wrong(posix.join(folder, name), `The ${what} ${other} and ${name} at HEAD differ only in case.`)
    known.set(name.toLowerCase(), name)
  }
}
