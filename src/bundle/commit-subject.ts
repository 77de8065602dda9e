/** What a commit did, as data. The server writes it as the commit's subject, the dashboard shows it as a sentence. */
import { shortKey } from './names.ts'

/** What a commit is about: a project, or a part of it. */
export interface SubjectScope {
  slug: string
  language?: string | undefined
  namespace?: string | undefined
}

/** One kind of write. Each has a sentence in `dashboard/history/commit-words.ts`. */
export type CommitAction =
  | { kind: 'add' | 'update' | 'remove' | 'delete' | 'confirm'; key: string }
  | { kind: 'confirm-keys'; count: number }
  /** A problem of a text; `check` found it. */
  | { kind: 'dismiss' | 'reopen'; key: string; check: string }
  /** Numbers of keys; `bundles` for a push of several. */
  | { kind: 'push'; added: number; updated: number; removed: number; bundles?: number }
  | { kind: 'rename'; key: string; to: string }
  | { kind: 'delete-bundle' | 'delete-language' | 'delete-namespace' }
  | { kind: 'rename-language' | 'rename-namespace'; to: string }
  | { kind: 'create-project' }
  | { kind: 'delete-project' }
  | ({ kind: 'change-project' } & ProjectChanges)
  /** `revision` has at least seven digits; null is the time before the first commit. */
  | { kind: 'restore'; key?: string | undefined; revision: string | null }
  /** `what` is the subject of the undone commit, without its scope. */
  | { kind: 'undo' | 'redo'; what: string }
  | { kind: 'undo-commits'; count: number }
  | { kind: 'import'; bundles: number }
  /** A replacement in several texts. `find` and `by` are shortened. */
  | { kind: 'replace'; find: string; by: string; count: number }
  | { kind: 'note' | 'remove-note'; key: string }
  | { kind: 'code-notes'; count: number }
  | { kind: 'comment' | 'edit-comment' | 'resolve-comment' | 'reopen-comment' | 'remove-comment'; key: string }
  /** Texts that wait for a review, or what became of them. */
  | { kind: 'suggest' | 'accept' | 'reject'; key: string }
  | { kind: 'suggest-texts' | 'accept-texts' | 'reject-texts'; count: number }
  /** Numbers of terms. */
  | { kind: 'glossary'; added: number; updated: number; removed: number }
  | { kind: 'organization-glossary'; added: number; updated: number; removed: number }
  | { kind: 'external-edit'; path: string }

/** What a commit changed in a project's settings; `format` is the new one. */
interface ProjectChanges {
  name: boolean
  format?: string | undefined
  interpolation: boolean
  checks: boolean
  review: boolean
}

/** A commit's subject as data. */
export type CommitSubject = SubjectScope & CommitAction

/** The text of a subject, such as `web de/common: add nav.home`. `readSubject` reads it. */
export function subjectText(subject: CommitSubject): string {
  const { slug, language, namespace } = subject
  if (subject.kind === 'create-project') return `create project ${slug}`
  if (subject.kind === 'delete-project') return `delete project ${slug}`
  if (subject.kind === 'change-project') return `change project ${slug}: ${projectChanges(subject).join(', ')}`
  if (subject.kind === 'external-edit') return `external edit of ${subject.path}`
  if (subject.kind === 'organization-glossary')
    return `change the organization's glossary: ${countsText(subject, 'term')}`
  const part = [language, namespace].filter(name => name !== undefined).join('/')
  return `${part === '' ? slug : `${slug} ${part}`}: ${actionText(subject)}`
}

/** In place of a revision. */
const BEGINNING = 'the beginning'

type ScopedAction = Exclude<
  CommitAction,
  { kind: 'create-project' | 'delete-project' | 'change-project' | 'organization-glossary' | 'external-edit' }
>

function actionText(action: ScopedAction): string {
  switch (action.kind) {
    case 'add':
    case 'update':
    case 'remove':
    case 'delete':
    case 'confirm':
      return `${action.kind} ${shortKey(action.key)}`
    case 'confirm-keys':
      return `confirm ${action.count} keys`
    case 'dismiss':
    case 'reopen':
      return `${action.kind} the ${action.check} problem of ${shortKey(action.key)}`
    case 'push':
      return `${countsText(action, 'key')}${action.bundles === undefined ? '' : ` in ${action.bundles} bundles`}`
    case 'rename':
      return `rename ${shortKey(action.key)} to ${shortKey(action.to)}`
    case 'delete-bundle':
      return 'delete the bundle'
    case 'delete-language':
      return 'delete the language'
    case 'delete-namespace':
      return 'delete the namespace'
    case 'rename-language':
      return `rename the language to ${action.to}`
    case 'rename-namespace':
      return `rename the namespace to ${action.to}`
    case 'restore':
      return `restore ${action.key === undefined ? '' : `${shortKey(action.key)} `}to ${action.revision?.slice(0, 7) ?? BEGINNING}`
    case 'undo':
    case 'redo':
      return `${action.kind} ${shortKey(action.what)}`
    case 'undo-commits':
      return `undo ${action.count} commits`
    case 'note':
      return `note on ${shortKey(action.key)}`
    case 'remove-note':
      return `remove the note on ${shortKey(action.key)}`
    case 'code-notes':
      return action.count === 1 ? '1 note from the code' : `${action.count} notes from the code`
    case 'comment':
      return `comment on ${shortKey(action.key)}`
    case 'edit-comment':
    case 'resolve-comment':
    case 'reopen-comment':
    case 'remove-comment':
      return `${action.kind.slice(0, -'-comment'.length)} a comment on ${shortKey(action.key)}`
    case 'suggest':
      return `suggest ${shortKey(action.key)}`
    case 'suggest-texts':
      return `suggest ${action.count} ${action.count === 1 ? 'text' : 'texts'}`
    case 'accept':
    case 'reject':
      return `${action.kind} a suggestion for ${shortKey(action.key)}`
    case 'accept-texts':
    case 'reject-texts':
      return `${action.kind.slice(0, -'-texts'.length)} ${action.count} ${action.count === 1 ? 'suggestion' : 'suggestions'}`
    case 'glossary':
      return `change the glossary: ${countsText(action, 'term')}`
    case 'import':
      return `import ${action.bundles} ${action.bundles === 1 ? 'bundle' : 'bundles'}`
    case 'replace':
      return `replace ${quoted(action.find)} by ${quoted(action.by)} in ${action.count} ${action.count === 1 ? 'text' : 'texts'}`
  }
}

/** Maximum characters of each side of a replacement: an undo names at most 72 of the whole. */
const MOST_QUOTED = 20

/** A JSON string of one line, so that `readSubject` finds its end. */
function quoted(text: string): string {
  const characters = [...text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')]
  const isLong = characters.length > MOST_QUOTED
  return JSON.stringify(isLong ? `${characters.slice(0, MOST_QUOTED - 1).join('')}…` : characters.join(''))
}

/** `add 2, update 1 key` */
function countsText(
  { added, updated, removed }: { added: number; updated: number; removed: number },
  noun: 'key' | 'term',
): string {
  const counts = Object.entries({ add: added, update: updated, remove: removed }).filter(([, count]) => count > 0)
  const list = counts.map(([verb, count]) => `${verb} ${count}`).join(', ')
  return `${list} ${counts.at(-1)?.[1] === 1 ? noun : `${noun}s`}`
}

const projectChanges = ({ name, format, interpolation, checks, review }: ProjectChanges) =>
  [
    name ? 'new name' : [],
    format === undefined ? [] : `format ${format}`,
    interpolation ? 'new interpolation' : [],
    checks ? 'new checks' : [],
    review ? 'new review' : [],
  ].flat()
