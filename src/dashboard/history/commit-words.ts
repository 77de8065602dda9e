/** What a commit did, in the words of the reader. */
import type { TFunction } from 'i18next'
import type { CommitAction, CommitSubject } from '../../bundle/commit-subject.ts'
import { readSubject } from '../../bundle/read-subject.ts'
import { languageName } from '../i18n/languages.ts'

/** Undone undos within each other that are put into words. */
const DEEPEST = 4

/** For whom a commit is put into words. */
interface Reader {
  /** Of any namespace, with `commits` loaded. */
  t: TFunction
  /** BCP 47 */
  reader: string
}

/**
 * A phrase without the author, such as `added nav.home in German, common`; undefined for a message of a person's own.
 * @param slug of the project that the history belongs to
 */
export function commitWords(text: string, slug: string, reader: Reader): string | undefined {
  const subject = readSubject(text, slug)
  return subject && wordsOf(subject, reader, DEEPEST)
}

/** The phrase of a subject. Of each kind of action, exactly one line here. */
function wordsOf(subject: CommitSubject, forReader: Reader, deepest: number): string {
  const { t, reader } = forReader
  const { language, namespace } = subject
  const named = (tag: string) => languageName(tag, reader)
  const place =
    language !== undefined && namespace !== undefined
      ? t('commits:place', { language: named(language), namespace })
      : namespace !== undefined
        ? t('commits:inAll', { namespace })
        : named(language ?? '')
  const listed = (phrases: (string | false)[]) =>
    new Intl.ListFormat(reader).format(phrases.filter(phrase => phrase !== false))
  const onKey = ({ key }: { key: string }) => ({ key, place: namespace ?? '' })
  const keyed = ({ key }: { key: string }) => ({ key, place })
  const words: { [K in CommitAction['kind']]: (action: Extract<CommitAction, { kind: K }>) => string } = {
    add: action => t('commits:add', keyed(action)),
    update: action => t('commits:update', keyed(action)),
    remove: action => t('commits:remove', keyed(action)),
    delete: action => t('commits:delete', keyed(action)),
    confirm: action => t('commits:confirm', keyed(action)),
    'confirm-keys': ({ count }) => t('commits:keysConfirmed', { count, place }),
    approve: action => t('commits:approve', keyed(action)),
    unapprove: action => t('commits:unapprove', keyed(action)),
    'approve-keys': ({ count }) => t('commits:keysApproved', { count, place }),
    'unapprove-keys': ({ count }) => t('commits:keysUnapproved', { count, place }),
    dismiss: action => t('commits:dismiss', keyed(action)),
    reopen: action => t('commits:reopen', keyed(action)),
    push: ({ added, updated, removed, bundles }) =>
      t('commits:push', {
        what: listed([
          added > 0 && t('commits:keysAdded', { count: added }),
          updated > 0 && t('commits:keysUpdated', { count: updated }),
          removed > 0 && t('commits:keysRemoved', { count: removed }),
        ]),
        place: bundles === undefined ? place : t('commits:bundles', { count: bundles }),
      }),
    rename: ({ key, to }) =>
      namespace === undefined
        ? // A language or a namespace, in the words of older dashboards.
          t('commits:renamePart', { name: key, to })
        : t('commits:rename', { key, to, place }),
    'delete-bundle': () => t('commits:deleteBundle', { place }),
    'delete-language': () => t('commits:deleteLanguage', { name: named(language ?? '') }),
    'delete-namespace': () => t('commits:deleteNamespace', { name: namespace ?? '' }),
    'rename-language': ({ to }) => t('commits:renameLanguage', { name: named(language ?? ''), to: named(to) }),
    'rename-namespace': ({ to }) => t('commits:renameNamespace', { name: namespace ?? '', to }),
    note: action => t('commits:note', onKey(action)),
    'remove-note': action => t('commits:removeNote', onKey(action)),
    'code-notes': ({ count }) => t('commits:codeNotes', { count }),
    comment: action => t('commits:comment', onKey(action)),
    'edit-comment': action => t('commits:editComment', onKey(action)),
    'resolve-comment': action => t('commits:resolveComment', onKey(action)),
    'reopen-comment': action => t('commits:reopenComment', onKey(action)),
    'remove-comment': action => t('commits:removeComment', onKey(action)),
    suggest: action => t('commits:suggest', keyed(action)),
    accept: action => t('commits:accept', keyed(action)),
    reject: action => t('commits:reject', keyed(action)),
    'suggest-texts': ({ count }) => t('commits:suggestTexts', { count }),
    'accept-texts': ({ count }) => t('commits:acceptTexts', { count }),
    'reject-texts': ({ count }) => t('commits:rejectTexts', { count }),
    glossary: action => t('commits:glossary', { count: termsIn(action) }),
    'organization-glossary': action => t('commits:organizationGlossary', { count: termsIn(action) }),
    'create-project': () => t('commits:createProject'),
    'delete-project': () => t('commits:deleteProject'),
    'change-project': ({ name, format, interpolation, checks, review }) =>
      t('commits:changeProject', {
        what: listed([
          name && t('commits:projectName'),
          format !== undefined && t('commits:projectFormat'),
          interpolation && t('commits:projectPlaceholders'),
          checks && t('commits:projectChecks'),
          review && t('commits:projectReview'),
        ]),
      }),
    restore: ({ key, revision: id }) => {
      const revision = id ?? t('commits:beginning')
      if (key !== undefined) return t('commits:restoreKey', { revision, key, place })
      if (namespace === undefined) return t('commits:restoreProject', { revision })
      // The name alone may be that of a language or of a namespace.
      return t('commits:restore', { revision, place: language === undefined ? namespace : place })
    },
    undo: ({ what }) => t('commits:undo', { what: undone(what) }),
    redo: ({ what }) => t('commits:redo', { what: undone(what) }),
    'undo-commits': ({ count }) => t('commits:undoCommits', { count }),
    import: ({ bundles }) => t('commits:import', { place: t('commits:bundles', { count: bundles }) }),
    replace: ({ find, by, count }) =>
      by === '' ? t('commits:removeText', { find, count }) : t('commits:replace', { find, by, count }),
    'external-edit': ({ path }) => t('commits:externalEdit', { path }),
  }
  const undone = (what: string): string => {
    const scope = [language, namespace].filter(name => name !== undefined).join('/')
    const inner =
      readSubject(`${subject.slug}${scope === '' ? '' : ` ${scope}`}: ${what}`, subject.slug) ??
      readSubject(what, subject.slug)
    return inner === undefined || deepest === 0 ? what : wordsOf(inner, forReader, deepest - 1)
  }
  return (words[subject.kind] as (action: CommitAction) => string)(subject)
}

const termsIn = ({ added, updated, removed }: { added: number; updated: number; removed: number }): number =>
  added + updated + removed
