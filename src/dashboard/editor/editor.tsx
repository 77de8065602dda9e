/** The editor over its rows: the filter, the position, and the typed text. */
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { late } from '../ui/late.tsx'
import { setSearch } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { useSkipTo } from '../ui/skip-target.ts'
import { Empty, Failed } from '../ui/state.tsx'
import styles from './editor.module.css'
import {
  AllRowsContext,
  type Column,
  EditorContext,
  type EditorPlace,
  type EditorPosition,
  type EditorState,
} from './editor-context.ts'
import { OpenFields } from './field/open-fields.ts'
import { Grid } from './grid.tsx'
import { DoneNotice } from './keys/done-notice.tsx'
import { KeyTasksProvider } from './keys/key-tasks-provider.tsx'
import { NoKeys } from './keys/key-tools.tsx'
import {
  ALL,
  asksForAll,
  countKinds,
  countProblems,
  filterOf,
  matcher,
  queryOf,
  type RowFilter,
} from './model/filter.ts'
import { flat, tree } from './model/items.ts'
import { alikeIn, lookupIn, usesIn } from './model/related-rows.ts'
import { type EditorRow, idOf, type KeyRow, type NamespacedKey } from './model/rows.ts'
import { Notices } from './notices.tsx'
import { requestCandidates } from './panel/panel-keys.ts'
import { PanelFrame, usePanel } from './panel-frame.tsx'
import type { Lookup } from './preview/preview-of.ts'
import { messageNow } from './saving/cached.ts'
import { typedWithout, useUnsaved } from './saving/unsaved-texts.ts'
import { useSaving } from './saving/use-saving.ts'
import { Toolbar } from './toolbar.tsx'
import { MOST_COMMITS, useChanged } from './use-changed.ts'
import { useEditorState } from './use-editor-state.ts'
import { usePermits } from './use-permits.ts'
import { useRowMarks } from './use-row-marks.ts'
import { useSearchKey } from './use-search-key.ts'
import { useShown } from './use-shown.ts'

interface Props {
  place: EditorPlace
  rows: readonly EditorRow[]
  /** The keys of the source language, as they were read. */
  sourceKeys: readonly KeyRow[]
}

// The first visit of an existing key does without it.
const LostKey = lazy(async () => ({ default: (await import('./lost-key.tsx')).LostKey }))

const KeyboardHelp = late(() => import('./keyboard-help.tsx'))

const isMac = /^Mac|iPhone|iPad/.test(navigator.platform)

/** Everything below the frame's header: toolbar and grid. */
export function Editor({ place, rows, sourceKeys }: Props) {
  const { slug, namespace, namespaces, columns } = place
  const { source, targets } = columns
  const { t, i18n } = useTranslation('editor')
  const queries = useQueryClient()
  const query = useSearch()
  const asked = new URLSearchParams(query)
  const filterText = JSON.stringify(queryOf(filterOf(asked)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is another one when its text is
  const filter = useMemo(() => filterOf(asked), [filterText])
  const isTree = asked.get('view') === 'tree'
  const [showsInvisible, setShowsInvisible] = useState(false)
  const [helps, setHelps] = useState(false)
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const help = useCallback(() => setHelps(true), [])
  const searchField = useRef<HTMLInputElement>(null)
  const [fields] = useState(() => new OpenFields())
  const panel = usePanel()

  const unsaved = useUnsaved(slug, targets)
  const permits = usePermits(slug, targets)
  const sourcePermit = usePermits(slug, [source])[0]!
  const marks = useRowMarks(slug, columns, permits)
  const saves = useSaving(slug, unsaved, rows, columns, permits)
  const changed = useChanged(slug, targets[0]!, filter)
  const known = { unsaved: unsaved.allIds, marks: marks[0], changed: changed.ids }
  const shown = useShown(rows, filter, known)
  const { unsaved: typed, marks: mainMarks, changed: since } = known
  const found = useMemo(
    () => rows.filter(matcher({ ...filter, is: [] }, { unsaved: typed, changed: since })),
    [rows, filter, typed, since],
  )
  const counts = useMemo(() => countKinds(found, { unsaved: typed, marks: mainMarks }), [found, typed, mainMarks])
  const problemCounts = useMemo(() => countProblems(found), [found])
  const showsNamespaces = namespace === undefined && namespaces.length > 1
  const items = useMemo(
    () => (isTree ? tree(shown.rows, closed, showsNamespaces) : flat(shown.rows)),
    [isTree, shown.rows, closed, showsNamespaces],
  )
  const order = useMemo<readonly Column[]>(
    // The source has its place, whether it is read or edited.
    () => {
      const edited = targets.indexOf(source)
      const others = [...targets.keys()].filter(at => at !== edited)
      return ['key', edited === -1 ? 'source' : edited, ...others]
    },
    [source, targets],
  )
  const toggle = (id: string) =>
    setClosed(closed => {
      const changed = new Set(closed)
      if (!changed.delete(id)) changed.add(id)
      return changed
    })
  const start = useMemo(() => startOf(new URLSearchParams(query), rows, namespace), [query, rows, namespace])
  const { at, actions } = useEditorState(
    {
      items,
      order,
      targets,
      matches: matcher(filter, known),
      saves,
      mayApprove: target => permits[target]!.mayApprove,
      namesNamespace: namespace !== undefined,
      toggle,
      renew: shown.renew,
      search: () => searchField.current?.focus(),
      panel: () => panel.open(true, true),
      machine: ({ id }, target) => {
        panel.open(true)
        requestCandidates({ id, language: targets[target]! })
      },
      help,
    },
    start,
  )
  useSkipTo(t('skipToTexts'), actions.enter)
  useSearchKey(actions)
  const key = asked.get('key')
  const startId = start?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another row in the address moves the position
  useEffect(() => {
    if (startId !== undefined && startId !== at?.id) actions.go(startId, 0, { isEditing: true })
  }, [startId])
  const lost = key !== null && !start ? { namespace: namespace ?? asked.get('in') ?? namespaces[0]!, key } : null
  const lostKey = (name: NamespacedKey & { isAsked: boolean }) => (
    <Suspense key={idOf(name.namespace, name.key)} fallback={null}>
      <LostKey
        slug={slug}
        targets={targets}
        namespace={name.namespace}
        name={name.key}
        isThere={({ namespace, key }) => rows.some(({ id }) => id === idOf(namespace, key))}
        isAsked={name.isAsked}
      />
    </Suspense>
  )
  const typedForGone = useMemo(() => typedWithout(rows, unsaved.ids, namespace), [rows, unsaved.ids, namespace])
  const elsewhere = useCallback<Lookup>(
    (language, namespace, key) => messageNow(queries, { slug, language, namespace, key }),
    [queries, slug],
  )
  const all = useMemo(
    () => ({
      alike: alikeIn(sourceKeys, rows),
      uses: usesIn(sourceKeys, rows),
      lookup: lookupIn(rows, columns, namespace === undefined ? undefined : elsewhere),
    }),
    [sourceKeys, rows, columns, namespace, elsewhere],
  )
  const shared = useMemo<EditorState>(
    () => ({
      ...place,
      order,
      isTree,
      showsNamespaces: showsNamespaces && !isTree,
      showsInvisible,
      isMac,
      actions,
      fields,
      permits,
      sourcePermit,
      marks,
      t,
    }),
    [place, order, showsNamespaces, isTree, showsInvisible, actions, fields, permits, sourcePermit, marks, t],
  )
  const atId = at?.id
  const inHand = useMemo(() => rows.find(({ id }) => id === atId), [rows, atId])
  const ask = useCallback((changed: Partial<RowFilter>) => setSearch(queryOf({ ...filter, ...changed })), [filter])
  return (
    <EditorContext value={shared}>
      <AllRowsContext value={all}>
        <KeyTasksProvider rows={rows} shown={shown.rows} showAll={() => ask(ALL)} renew={shown.renew}>
          <div className={styles.editor}>
            <Toolbar
              filter={filter}
              ask={ask}
              counts={counts}
              problemCounts={problemCounts}
              total={found.length}
              shown={shown.rows.length}
              all={rows.length}
              onInvisible={setShowsInvisible}
              hasPanel={panel.isOpen}
              onPanel={panel.isWide ? panel.open : undefined}
              canUndo={saves.last !== undefined}
              searchField={searchField}
            />
            <div className={styles.notices}>
              {changed.error && <Failed error={changed.error} />}
              {lost !== null && lostKey({ ...lost, isAsked: true })}
              {changed.isCut && <Notice>{t('onlyLast', { count: MOST_COMMITS, who: filter.by })}</Notice>}
              <DoneNotice />
            </div>
            <div className={styles.middle}>
              {items.length === 0 ? (
                <div className={styles.nothing}>
                  {asksForAll(filter) ? (
                    <NoKeys />
                  ) : (
                    <Empty title={t('noMatch')} action={<Button onPress={() => ask(ALL)}>{t('showAll')}</Button>}>
                      {t('noMatchWhy')}
                    </Empty>
                  )}
                </div>
              ) : (
                <Grid
                  items={items}
                  at={at}
                  unsaved={unsaved.ids}
                  gone={shown.gone}
                  states={saves.states}
                  label={t('gridLabel', { language: languageName(targets[0]!, i18n.language) })}
                />
              )}
              {panel.isOpen && (
                <PanelFrame row={inHand} at={at} panel={panel} onBack={() => at && actions.go(at.id, at.column, at)} />
              )}
            </div>
            <div className={styles.below}>
              {typedForGone
                .filter(name => !lost || idOf(name.namespace, name.key) !== idOf(lost.namespace, lost.key))
                .map(name => lostKey({ ...name, isAsked: false }))}
              <Notices shown={shown} />
            </div>
          </div>
          {helps && <KeyboardHelp onClose={() => setHelps(false)} />}
        </KeyTasksProvider>
      </AllRowsContext>
    </EditorContext>
  )
}

/** The row that the address names, open. */
function startOf(
  asked: URLSearchParams,
  rows: readonly EditorRow[],
  namespace: string | undefined,
): EditorPosition | undefined {
  const key = asked.get('key')
  if (key === null) return undefined
  const within = namespace ?? asked.get('in')
  const row = rows.find(row => row.key === key && (within === null || row.id === idOf(within, key)))
  return row && { id: row.id, column: 0, isEditing: true, move: 1 }
}
