/** Rights by language and project, which narrow what a member or an API token may write. The one place that decides. */
import { isObject } from '../bundle/body.ts'
import { Failure } from '../bundle/errors.ts'
import { checkLanguage, checkSlug, sameIgnoringCase } from '../bundle/names.ts'

/** What a right allows, the weakest first. Each includes those before it. */
export const RIGHT_LEVELS = ['read', 'suggest', 'translate', 'review'] as const

/** One of {@link RIGHT_LEVELS}. */
export type RightLevel = (typeof RIGHT_LEVELS)[number]

/** A right in some languages of some projects. */
export interface LanguageRight {
  /** Slugs, sorted; absent for all projects. */
  projects?: readonly string[]
  /** Language tags, sorted, or `*` alone for all languages. */
  languages: readonly string[]
  may: RightLevel
}

/** Rights add up: the strongest one that covers a language counts. Where none does, the holder only reads. */
export type LanguageRights = readonly LanguageRight[]

/** What a write touches: a language of a project, all languages of it, or the whole organization. */
export interface RightTarget {
  project?: string | undefined
  language?: string
}

/** Stands for all languages. */
export const ALL_LANGUAGES = '*'

/** Maximum of rights in a list, and of projects and languages in one of them. */
const MAX_RIGHTS = 50
const MAX_PROJECTS = 100
const MAX_LANGUAGES = 200
/** Maximum characters of a list as it is stored. */
const MAX_STORED = 8192

/** Reading everything and writing nothing. */
const READ_ONLY: LanguageRights = [{ languages: [ALL_LANGUAGES], may: 'read' }]

/** The strongest level on a target. @param rights undefined for a caller that is not narrowed */
export function levelOn(rights: LanguageRights | undefined, target: RightTarget): RightLevel {
  if (rights === undefined) return 'review'
  const levels = rights.filter(right => covers(right, target)).map(({ may }) => RIGHT_LEVELS.indexOf(may))
  return RIGHT_LEVELS[Math.max(0, ...levels)]!
}

/** The rights that bind a caller's writes: a token of scope `suggest` only suggests, with any rights. */
export function rightsToWrite(caller: { scope: string; rights?: LanguageRights }): LanguageRights | undefined {
  const { scope, rights } = caller
  if (scope !== 'suggest') return rights
  if (rights === undefined) return [{ languages: [ALL_LANGUAGES], may: 'suggest' }]
  return rights.map(right => (right.may === 'read' ? right : { ...right, may: 'suggest' }))
}

/** Whether the rights allow what a level allows. */
export const hasLevel = (rights: LanguageRights | undefined, target: RightTarget, level: RightLevel): boolean =>
  RIGHT_LEVELS.indexOf(levelOn(rights, target)) >= RIGHT_LEVELS.indexOf(level)

/** Whether the rights allow to write texts. */
export const mayTranslate = (rights: LanguageRights | undefined, target: RightTarget): boolean =>
  hasLevel(rights, target, 'translate')

function covers({ projects, languages }: LanguageRight, { project, language }: RightTarget): boolean {
  if (projects !== undefined && (project === undefined || !projects.includes(project))) return false
  return languages.includes(ALL_LANGUAGES) || (language !== undefined && namesLanguage(languages, language))
}

/** Whether tags have a language, in any case: a project has no two that differ in case alone. */
export const namesLanguage = (tags: readonly string[], language: string): boolean =>
  tags.some(tag => sameIgnoringCase(tag, language))

/** The rights that narrow a member. Owners and admins are never narrowed. @param stored as in the table */
export function rightsOf(role: 'owner' | 'admin' | 'member', stored: string | null): LanguageRights | undefined {
  return role === 'member' ? parseRights(stored) : undefined
}

/** Reads stored rights, undefined for none. */
export function parseRights(stored: string | null): LanguageRights | undefined {
  if (stored === null) return undefined
  const rights = JSON.parse(stored) as LanguageRight[]
  return Object.freeze(rights.map(right => Object.freeze(right)))
}

/** As the tables store them. */
export const renderRights = (rights: LanguageRights): string => JSON.stringify(rights)

/** Checks rights from a body. @returns them in their canonical form @throws Failure `invalid` naming the culprit */
export function checkRights(given: unknown): LanguageRights {
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_RIGHTS)
    throw invalid(`must be a list of 1 to ${MAX_RIGHTS} rights`)
  const rights = given.map(checkRight)
  if (renderRights(rights).length <= MAX_STORED) return rights
  throw invalid(`must have at most ${MAX_STORED.toLocaleString('en')} characters as JSON`)
}

function checkRight(given: unknown): LanguageRight {
  if (!isObject(given)) throw invalid('must be a list of objects such as {"languages":["de"],"may":"translate"}')
  const { projects, languages, may, ...others } = given
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`has the unknown member ${JSON.stringify(unknown)}`)
  if (!isLevel(may)) throw invalid(`needs "may" to be one of ${RIGHT_LEVELS.join(', ')}`)
  return {
    ...(projects !== undefined && { projects: checkList(projects, 'projects', MAX_PROJECTS, checkSlug) }),
    languages: checkLanguages(languages),
    may,
  }
}

const isLevel = (value: unknown): value is RightLevel => RIGHT_LEVELS.some(level => level === value)

function checkLanguages(given: unknown): string[] {
  if (Array.isArray(given) && given.includes(ALL_LANGUAGES)) {
    if (given.length === 1) return [ALL_LANGUAGES]
    throw invalid('needs "*" to stand alone in "languages"')
  }
  return checkList(given, 'languages', MAX_LANGUAGES, checkLanguage)
}

function checkList(given: unknown, member: string, most: number, check: (value: unknown) => string): string[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > most)
    throw invalid(`needs "${member}" to be a list of 1 to ${most} names`)
  return [...new Set(given.map(check))].sort()
}

const invalid = (fault: string) => new Failure('invalid', `The body does not fit: "rights" ${fault}.`)

/** The projects that rights name. */
export const projectsOf = (rights: LanguageRights): string[] => [
  ...new Set(rights.flatMap(({ projects = [] }) => projects)),
]

/** Rights without a project: another one may get its slug. @returns undefined where they do not name it */
export function withoutProject(rights: LanguageRights, slug: string): LanguageRights | undefined {
  if (!rights.some(({ projects }) => projects?.includes(slug))) return undefined
  const left = rights.flatMap(right => {
    if (!right.projects?.includes(slug)) return [right]
    const projects = right.projects.filter(other => other !== slug)
    return projects.length === 0 ? [] : [{ ...right, projects }]
  })
  return left.length === 0 ? READ_ONLY : left
}
