/** Subjects of each kind of commit, for tests. */
import type { CommitAction, CommitSubject } from '../../src/bundle/commit-subject.ts'

const bundle = { slug: 'web', language: 'pl', namespace: 'account' }
const namespace = { slug: 'web', namespace: 'account' }
const slug = 'web'

/** A new kind fails here until it has an example, and then until it has a sentence. */
export const SUBJECTS: { [K in CommitAction['kind']]: [text: string, CommitSubject & { kind: K }][] } = {
  add: [['web pl/account: add store.count', { ...bundle, kind: 'add', key: 'store.count' }]],
  update: [['web pl/account: update a: b', { ...bundle, kind: 'update', key: 'a: b' }]],
  remove: [['web pl/account: remove x', { ...bundle, kind: 'remove', key: 'x' }]],
  delete: [
    ['web pl/account: delete x', { ...bundle, kind: 'delete', key: 'x' }],
    ['web account: delete x y', { ...namespace, kind: 'delete', key: 'x y' }],
  ],
  confirm: [['web pl/account: confirm x', { ...bundle, kind: 'confirm', key: 'x' }]],
  'confirm-keys': [['web pl/account: confirm 12 keys', { ...bundle, kind: 'confirm-keys', count: 12 }]],
  dismiss: [
    ['web pl/account: dismiss the length problem of a b', { ...bundle, kind: 'dismiss', key: 'a b', check: 'length' }],
  ],
  reopen: [['web pl/account: reopen the tag problem of x', { ...bundle, kind: 'reopen', key: 'x', check: 'tag' }]],
  push: [
    ['web pl/account: add 2, update 1 key', { ...bundle, kind: 'push', added: 2, updated: 1, removed: 0 }],
    ['web: remove 3 keys in 2 bundles', { slug, kind: 'push', added: 0, updated: 0, removed: 3, bundles: 2 }],
  ],
  rename: [['web account: rename a.b to a.c', { ...namespace, kind: 'rename', key: 'a.b', to: 'a.c' }]],
  'delete-bundle': [['web pl/account: delete the bundle', { ...bundle, kind: 'delete-bundle' }]],
  'delete-language': [['web pl: delete the language', { slug, language: 'pl', kind: 'delete-language' }]],
  'delete-namespace': [['web account: delete the namespace', { ...namespace, kind: 'delete-namespace' }]],
  'rename-language': [
    ['web pl: rename the language to pl-PL', { slug, language: 'pl', kind: 'rename-language', to: 'pl-PL' }],
  ],
  'rename-namespace': [
    ['web account: rename the namespace to user', { ...namespace, kind: 'rename-namespace', to: 'user' }],
  ],
  note: [['web account: note on a b', { ...namespace, kind: 'note', key: 'a b' }]],
  'remove-note': [['web account: remove the note on a b', { ...namespace, kind: 'remove-note', key: 'a b' }]],
  'code-notes': [
    ['web: 1 note from the code', { slug, kind: 'code-notes', count: 1 }],
    ['web: 12 notes from the code', { slug, kind: 'code-notes', count: 12 }],
  ],
  comment: [['web account: comment on a b', { ...namespace, kind: 'comment', key: 'a b' }]],
  'edit-comment': [['web account: edit a comment on a b', { ...namespace, kind: 'edit-comment', key: 'a b' }]],
  'resolve-comment': [['web account: resolve a comment on a', { ...namespace, kind: 'resolve-comment', key: 'a' }]],
  'reopen-comment': [['web account: reopen a comment on a', { ...namespace, kind: 'reopen-comment', key: 'a' }]],
  'remove-comment': [['web account: remove a comment on a', { ...namespace, kind: 'remove-comment', key: 'a' }]],
  suggest: [['web pl/account: suggest a b', { ...bundle, kind: 'suggest', key: 'a b' }]],
  accept: [['web pl/account: accept a suggestion for a b', { ...bundle, kind: 'accept', key: 'a b' }]],
  reject: [['web pl/account: reject a suggestion for a b', { ...bundle, kind: 'reject', key: 'a b' }]],
  'suggest-texts': [
    ['web pl/account: suggest 1 text', { ...bundle, kind: 'suggest-texts', count: 1 }],
    ['web: suggest 12 texts', { slug, kind: 'suggest-texts', count: 12 }],
  ],
  'accept-texts': [['web: accept 2 suggestions', { slug, kind: 'accept-texts', count: 2 }]],
  'reject-texts': [['web: reject 1 suggestion', { slug, kind: 'reject-texts', count: 1 }]],
  glossary: [
    ['web: change the glossary: add 2, remove 1 term', { slug, kind: 'glossary', added: 2, updated: 0, removed: 1 }],
    ['web: change the glossary: update 3 terms', { slug, kind: 'glossary', added: 0, updated: 3, removed: 0 }],
  ],
  'organization-glossary': [
    [
      "change the organization's glossary: add 1 term",
      { slug, kind: 'organization-glossary', added: 1, updated: 0, removed: 0 },
    ],
  ],
  'create-project': [['create project web', { slug, kind: 'create-project' }]],
  'delete-project': [['delete project web', { slug, kind: 'delete-project' }]],
  'change-project': [
    [
      'change project web: new name, format i18next-json-flat, new interpolation, new checks, new review',
      {
        ...{ slug, kind: 'change-project', name: true, format: 'i18next-json-flat' },
        ...{ interpolation: true, checks: true, review: true },
      },
    ],
    [
      'change project web: new name',
      {
        slug,
        kind: 'change-project',
        name: true,
        format: undefined,
        interpolation: false,
        checks: false,
        review: false,
      },
    ],
  ],
  restore: [
    ['web: restore to 0123abc', { slug, kind: 'restore', key: undefined, revision: '0123abc' }],
    ['web account: restore to 0123abc', { ...namespace, kind: 'restore', key: undefined, revision: '0123abc' }],
    ['web pl/account: restore a to b to 0123abc', { ...bundle, kind: 'restore', key: 'a to b', revision: '0123abc' }],
    ['web: restore to the beginning', { slug, kind: 'restore', key: undefined, revision: null }],
  ],
  undo: [
    ['web pl/account: undo add store.count', { ...bundle, kind: 'undo', what: 'add store.count' }],
    ['web: undo create project web', { slug, kind: 'undo', what: 'create project web' }],
    ['web: undo my words', { slug, kind: 'undo', what: 'my words' }],
  ],
  redo: [['web pl/account: redo add store.count', { ...bundle, kind: 'redo', what: 'add store.count' }]],
  'undo-commits': [['web: undo 3 commits', { slug, kind: 'undo-commits', count: 3 }]],
  import: [
    ['web: import 3 bundles', { slug, kind: 'import', bundles: 3 }],
    ['web: import 1 bundle', { slug, kind: 'import', bundles: 1 }],
  ],
  replace: [
    ['web: replace "Konto" by "Account" in 2 texts', { slug, kind: 'replace', find: 'Konto', by: 'Account', count: 2 }],
    [
      String.raw`web: replace "\\\" by \"" by "" in 1 text`,
      { slug, kind: 'replace', find: '\\" by "', by: '', count: 1 },
    ],
  ],
  'external-edit': [
    [
      'external edit of projects/web/pl/account.json',
      { slug, kind: 'external-edit', path: 'projects/web/pl/account.json' },
    ],
  ],
}
