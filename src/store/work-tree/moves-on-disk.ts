/** Finds files of a project that a person moved in the work tree: HEAD has them under another name. */
import fs from 'node:fs'
import { join } from 'node:path'
import { classify } from '../../project/judge.ts'
import { projectIn } from '../../project/layout.ts'
import { localesPath, projectPath } from '../../project/project.ts'
import { type ProjectMoves, pairMoves } from '../../project/refused-moves.ts'
import { isByLanguage, SIDECAR_NAMES, sidecarFolder } from '../../project/sidecars/sidecars.ts'
import type { State } from '../../project/state.ts'
import { hasRunOut } from '../disk.ts'
import { readContent } from './plain-file.ts'

/** The project's files that are missing on the disk, and those among them that are there under a new name. */
export async function movesOnDisk(root: string, head: State, slug: string): Promise<ProjectMoves> {
  const gone = new Map<string, string>()
  const created: string[] = []
  const compare = async (folder: string, isOwn: boolean, only?: string) => {
    const names = new Set(await namesIn(root, folder))
    const heads = new Map(head.list(folder).flatMap(({ name, kind, id }) => (kind === 'blob' ? [[name, id]] : [])))
    for (const name of new Set([...names, ...heads.keys()])) {
      const path = `${folder}/${name}`
      if ((only ?? name) !== name || classify(path) === undefined) continue
      if (!heads.has(name)) created.push(path)
      else if (isOwn && !names.has(name)) gone.set(path, heads.get(name)!)
    }
  }
  for (const project of [slug, ...(await successors(root, head, slug))]) {
    const isOwn = project === slug
    await compare(project, isOwn, 'project.json')
    const languageFolders = [localesPath(project)]
    for (const sidecar of SIDECAR_NAMES) {
      if (isByLanguage(sidecar)) languageFolders.push(sidecarFolder(project, sidecar))
      else await compare(sidecarFolder(project, sidecar), isOwn)
    }
    for (const folder of languageFolders) {
      const languages = new Set([...(await namesIn(root, folder)), ...head.list(folder).map(({ name }) => name)])
      for (const language of languages) await compare(`${folder}/${language}`, isOwn)
    }
  }
  const ids = new Map<string, string>()
  const sources = new Map<string, Buffer>()
  const sourceLanguage = projectIn(head, slug)?.sourceLanguage
  for (const path of gone.size > 0 ? created : []) {
    const found = await readContent(root, path)
    if (found.state !== 'content') continue
    ids.set(path, found.id)
    const file = classify(path)
    if (file?.kind === 'bundle' && file.language === sourceLanguage) sources.set(path, found.bytes)
  }
  const moves = pairMoves(gone, ids)
  for (const path of moves.keys()) sources.delete(path)
  return { gone: [...gone.keys()], moves, sources }
}

/** The projects that a missing project may have been renamed to: their own file is the same. */
async function successors(root: string, head: State, slug: string): Promise<string[]> {
  const id = head.entry(projectPath(slug))?.id
  if (id === undefined || (await namesIn(root, slug)).includes('project.json')) return []
  const found: string[] = []
  for (const name of await namesIn(root, '')) {
    const path = projectPath(name)
    if (classify(path) === undefined) continue
    const there = head.entry(path)?.id
    const content = there === undefined ? await readContent(root, path) : undefined
    if ((content?.state === 'content' ? content.id : there) === id) found.push(name)
  }
  return found
}

/** The names in a folder; none where it is missing or unreadable. */
async function namesIn(root: string, folder: string): Promise<string[]> {
  try {
    return await fs.promises.readdir(join(root, folder))
  } catch (error) {
    if (hasRunOut(error)) throw error
    return []
  }
}
