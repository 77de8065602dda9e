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
import { Empty, Failed } from '../ui/page.tsx'
import { useSkipTo } from '../ui/skip-target.ts'
import styles from './editor.module.css'
import { AllRowsContext, type Column, EditorContext, type EditorPlace, usePermits } from './editor-context.ts'
import { OpenFields } from './field/translation-field.tsx'
import { Grid } from './grid.tsx'
import { DoneNotice, KeyTasksProvider, NoKeys } from './keys/key-tasks-provider.tsx'
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
import { requestCandidates } from './panel/panel-keys.ts'
import { PanelFrame, usePanel } from './panel-frame.tsx'
import type { Lookup } from './preview/preview-of.ts'
import { MOST_COMMITS, useChanged, useRowMarks } from './read.ts'
import { messageNow } from './saving/cached.ts'
import { typedWithout, useUnsaved } from './saving/unsaved-texts.ts'
import { useSaving } from './saving/use-saving.ts'
import { Notices, useShown } from './shown-rows.tsx'
import { Toolbar } from './toolbar.tsx'
import { useEditorState, useSearchKey } from './use-editor-state.ts'

interface Props {
  place: EditorPlace
  rows: readonly EditorRow[]
  /** The keys of the source language, as they were read. */
  sourceKeys: readonly KeyRow[]
}

// The first visit of an existing key does without it.
const MissingKey = lazy(async () => ({ default: (await import('./missing.tsx')).MissingKey }))
const KeyboardHelp = late(async () => ({ default: (await import('./editor-dialogs.tsx')).KeyboardHelp }))

const isMac = /^Mac|iPhone|iPad/.test(navigator.platform)

export function Editor({ place, rows, sourceKeys }: Props) {
  const { slug, namespace, namespaces, columns } = place
  const { source, targets } = columns
  const { t, i18n } = useTranslation('editor')
  const queries = useQueryClient()
  const asked = new URLSearchParams(useSearch())
  const filterText = JSON.stringify(queryOf(filterOf(asked)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is another one when its text is
  const filter = useMemo(() => filterOf(asked), [filterText])
  const ask = useCallback((changed: Partial<RowFilter>) => setSearch(queryOf({ ...filter, ...changed })), [filter])
  const isTree = asked.get('view') === 'tree'
  const [showsInvisible, setShowsInvisible] = useState(false)
  const [helps, setHelps] = useState(false)
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const searchField = useRef<HTMLInputElement>(null)
  const [fields] = useState(() => new OpenFields())
  const panel = usePanel()

  const unsaved = useUnsaved(slug, targets)
  const permits = usePermits(slug, targets)
  const sourcePermit = usePermits(slug, [source])[0]!
  const marks = useRowMarks(slug, columns, permits)
  const saves = useSaving(slug, unsaved, rows, columns, permits)
  const changed = useChanged(slug, targets[0]!, filter)
  const known = useMemo(
    () => ({ unsaved: unsaved.allIds, marks: marks[0], changed: changed.ids }),
    [unsaved.allIds, marks, changed.ids],
  )
  const shown = useShown(rows, filter, known)
  const counts = useMemo(() => {
    const found = rows.filter(matcher({ ...filter, is: [] }, known))
    return { kinds: countKinds(found, known), problems: countProblems(found), total: found.length }
  }, [rows, filter, known])
  const showsNamespaces = namespace === undefined && namespaces.length > 1
  const items = useMemo(
    () => (isTree ? tree(shown.rows, closed, showsNamespaces) : flat(shown.rows)),
    [isTree, shown.rows, closed, showsNamespaces],
  )
  const order = useMemo<readonly Column[]>(() => {
    // The source has its place, whether it is read or edited.
    const edited = targets.indexOf(source)
    const others = [...targets.keys()].filter(at => at !== edited)
    return ['key', edited === -1 ? 'source' : edited, ...others]
  }, [source, targets])

  const key = asked.get('key')
  const within = namespace ?? asked.get('in')
  const start = useMemo(() => {
    const row = rows.find(row => row.key === key && (within === null || row.namespace === within))
    return row && { id: row.id, column: 0, isEditing: true, move: 1 }
  }, [rows, key, within])
  const { at, actions } = useEditorState(
    {
      place,
      items,
      order,
      permits,
      matches: matcher(filter, known),
      saves,
      toggle: id =>
        setClosed(closed => new Set(closed.has(id) ? [...closed].filter(one => one !== id) : [...closed, id])),
      machine: ({ id }, target) => {
        panel.open(true)
        requestCandidates({ id, language: targets[target]! })
      },
      commands: {
        renew: shown.renew,
        search: () => searchField.current?.focus(),
        panel: () => panel.open(true, true),
        help: () => setHelps(true),
      },
    },
    start,
  )
  useSkipTo(t('skipToTexts'), actions.enter)
  useSearchKey(actions)
  const startId = start?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another row in the address moves the position
  useEffect(() => {
    if (startId !== undefined && startId !== at?.id) actions.go(startId, 0, { isEditing: true })
  }, [startId])

  const isThere = ({ namespace, key }: NamespacedKey) => rows.some(({ id }) => id === idOf(namespace, key))
  const lost = key !== null && !start ? { namespace: within ?? namespaces[0]!, key } : undefined
  const typedForGone = useMemo(() => typedWithout(rows, unsaved.ids, namespace), [rows, unsaved.ids, namespace])
  const missingKey = ({ namespace, key }: NamespacedKey, isAsked: boolean) => (
    <Suspense key={idOf(namespace, key)} fallback={null}>
      <MissingKey {...{ slug, targets, namespace, isThere, isAsked }} name={key} />
    </Suspense>
  )
  const all = useMemo(() => {
    const elsewhere: Lookup = (language, namespace, key) => messageNow(queries, { slug, language, namespace, key })
    return {
      alike: alikeIn(sourceKeys, rows),
      uses: usesIn(sourceKeys, rows),
      lookup: lookupIn(rows, columns, namespace === undefined ? undefined : elsewhere),
    }
  }, [sourceKeys, rows, columns, namespace, queries, slug])
  const shared = useMemo(() => {
    const looks = { order, isTree, showsNamespaces: showsNamespaces && !isTree, showsInvisible, isMac }
    return { ...place, ...looks, actions, fields, permits, sourcePermit, marks, t }
  }, [place, order, showsNamespaces, isTree, showsInvisible, actions, fields, permits, sourcePermit, marks, t])
  const atId = at?.id
  const inHand = useMemo(() => rows.find(({ id }) => id === atId), [rows, atId])
  const showAll = () => ask(ALL)
  return (
    <EditorContext value={shared}>
      <AllRowsContext value={all}>
        <KeyTasksProvider rows={rows} shown={shown.rows} showAll={showAll} renew={shown.renew}>
          <div className={styles.editor}>
            <Toolbar
              filter={filter}
              ask={ask}
              counts={counts}
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
              {lost && missingKey(lost, true)}
              {changed.isCut && <Notice>{t('onlyLast', { count: MOST_COMMITS, who: filter.by })}</Notice>}
              <DoneNotice />
            </div>
            <div className={styles.middle}>
              {items.length > 0 ? (
                <Grid
                  items={items}
                  at={at}
                  unsaved={unsaved.ids}
                  gone={shown.gone}
                  states={saves.states}
                  label={t('gridLabel', { language: languageName(targets[0]!, i18n.language) })}
                />
              ) : (
                <div className={styles.nothing}>
                  {asksForAll(filter) ? (
                    <NoKeys />
                  ) : (
                    <Empty title={t('noMatch')} action={<Button onPress={showAll}>{t('showAll')}</Button>}>
                      {t('noMatchWhy')}
                    </Empty>
                  )}
                </div>
              )}
              {panel.isOpen && (
                <PanelFrame row={inHand} at={at} panel={panel} onBack={() => at && actions.go(at.id, at.column, at)} />
              )}
            </div>
            <div className={styles.below}>
              {typedForGone
                .filter(name => name.namespace !== lost?.namespace || name.key !== lost.key)
                .map(name => missingKey(name, false))}
              <Notices shown={shown} />
            </div>
          </div>
          {helps && <KeyboardHelp onClose={() => setHelps(false)} />}
        </KeyTasksProvider>
      </AllRowsContext>
    </EditorContext>
  )
}
