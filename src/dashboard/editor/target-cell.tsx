/** A translation: read, or with its fields while its row is open. */
import { Check, CornerDownLeft } from 'lucide-react'
import { memo, type RefObject, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { pluralRules } from '../../bundle/plural-rules.ts'
import type { AddressedDraft } from '../drafts/drafts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './cell.module.css'
import { type At, type Shared, useAllRows, useEditor } from './context.ts'
import type { TranslationFieldHandle } from './field/field-props.ts'
import { Invisible, More } from './field-menus.tsx'
import { LeafField } from './leaf-field.tsx'
import { Marks } from './marks.tsx'
import { saidAlike } from './model/alike.ts'
import { leafAt, leavesFor, modelText, type Texts, textsOf, withTexts } from './model/leaves.ts'
import { cellOf, type Row } from './model/rows.ts'
import { TextPreview } from './preview/text-preview.tsx'
import { isFilled } from './preview/variables.ts'
import { SameText } from './same-text.tsx'
import { shownTexts } from './shown-text.tsx'
import type { SaveState } from './use-saves.ts'
import { textsIn, useOwnDrafts } from './use-texts.ts'

interface Props {
  row: Row
  /** The number of the language among the targets. */
  target: number
  isUnsaved: boolean
  isGone: boolean
  state: SaveState | undefined
}

/** What is saved, or was typed, to be read. */
export function ReadCell(props: Props) {
  const editor = useEditor()
  return props.isUnsaved ? <TypedCell {...props} /> : read(props, editor, NONE)
}

const NONE: readonly AddressedDraft[] = []

/** Only rows with something unsaved are drawn anew while one types. */
function TypedCell(props: Props) {
  const editor = useEditor()
  return read(props, editor, useOwnDrafts(editor.slug, props.row, editor.columns.targets[props.target]!))
}

/** Not a component of its own: each frame that is scrolled draws some. */
function read({ row, target, isGone, state }: Props, editor: Shared, drafts: readonly AddressedDraft[]) {
  const cell = row.cells[target]!
  const texts = textsOf(drafts.length > 0 ? withTexts(cell.message, textsIn(drafts)) : cell.message)
  const shown = Object.keys(texts).length > 0 && shownTexts(texts, editor.columns.targets[target]!, editor)
  return (
    <div className={styles.beside}>
      {isLong(texts) ? <span className={styles.clamped}>{shown}</span> : shown}
      <Marks is={cell.is} unsaved={drafts.length > 0} gone={isGone} />
      {state && <StateOfSave state={state} />}
    </div>
  )
}

/** It may take more lines than are shown. What is cut off costs each frame that is scrolled a tenth more. */
const isLong = (texts: Texts) => Object.values(texts).some(text => text.length > 200 || text.includes('\n'))

function StateOfSave({ state }: { state: SaveState }) {
  const { t } = useEditor()
  if (state.is === 'saving') return <span className="quiet">{t('saving')}</span>
  return (
    <Notice kind="bad" announced>
      {t('notSavedWhy', { why: state.why })}
    </Notice>
  )
}

/** Its fields, one for each form of the language. @param at where the focus is to go, if here */
export function EditCell({ row, target, isGone, state, at }: Omit<Props, 'isUnsaved'> & { at: At | undefined }) {
  const { columns, slug, actions } = useEditor()
  const { alike } = useAllRows()
  const language = columns.targets[target]!
  const cell = row.cells[target]!
  const drafts = useOwnDrafts(slug, row, language)
  const message = drafts.length > 0 ? withTexts(cell.message, textsIn(drafts)) : cell.message
  // With what was typed for a form that the source has no longer.
  const leaves = leavesFor(row.source, message, language)
  const hasZero = leaves.some(({ ending }) => ending === '_zero')
  const rules = { source: pluralRules(columns.source), target: pluralRules(language) }
  const now = drafts.length > 0 ? cellOf(row.source, message, cell.sourceThen, rules) : cell
  const fields = useRef(new Map<string, TranslationFieldHandle>())
  const [active, setActive] = useState(leaves[0]!.ending)
  const wanted = at?.ending ?? firstOpen(leaves, textsOf(message))
  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes there when it is told to, and not when a text changes
  useEffect(() => {
    if (at && at.move > 0) fields.current.get(wanted)?.focus()
  }, [at?.move])
  const first = leaves[0]!.ending
  const isActiveThere = leaves.some(({ ending }) => ending === active)
  // A form that the source lost is there as long as something is typed for it: emptied, it goes with the focus.
  useLayoutEffect(() => {
    if (isActiveThere) return
    setActive(first)
    if (document.activeElement === document.body) fields.current.get(first)?.focus()
  }, [isActiveThere, first])
  const [inserts, setInserts] = useState(false)
  const place = { language, namespace: row.namespace, key: row.key }
  const stored = textsOf(cell.message)
  return (
    <div className={styles.stays}>
      {leaves.map(leaf => (
        <LeafField
          key={leaf.ending}
          place={place}
          leaf={leaf}
          stored={stored[leaf.ending] ?? null}
          model={modelText(row.source, leaf)}
          source={row.source}
          named={leaves.length > 1}
          hasZero={hasZero}
          onFocus={() => {
            setActive(leaf.ending)
            actions.here(row.id, target, { isEditing: true, ending: leaf.ending })
          }}
          onInsert={() => setInserts(true)}
          sameText={() => saidAlike(alike(row), target, leaf.ending)[0]?.text ?? ''}
          ref={handle => {
            if (handle) fields.current.set(leaf.ending, handle)
            else fields.current.delete(leaf.ending)
          }}
        />
      ))}
      {at && (
        <Preview
          row={row}
          language={language}
          ending={active}
          text={textsOf(message)[active] ?? ''}
          hasZero={hasZero}
        />
      )}
      {at && <SameText row={row} target={target} fields={fields} active={active} />}
      {state && <StateOfSave state={state} />}
      <div className={styles.bar}>
        <Marks is={now.is} unsaved={drafts.length > 0} gone={isGone} />
        <Tools
          row={row}
          target={target}
          isStale={cell.is.includes('stale')}
          fields={fields}
          active={active}
          inserts={inserts}
          onInserts={setInserts}
        />
      </div>
    </div>
  )
}

interface ToolsProps {
  row: Row
  target: number
  isStale: boolean
  fields: RefObject<ReadonlyMap<string, TranslationFieldHandle>>
  /** The ending of the field that is written in. */
  active: string
  /** Whether the menu of characters is open. */
  inserts: boolean
  onInserts: (inserts: boolean) => void
}

/** What can be done with a text; its menus cost more than all else here, and no letter that is typed changes them. */
const Tools = memo(function Tools({ row, target, isStale, fields, active, inserts, onInserts }: ToolsProps) {
  const { t } = useTranslation('editor')
  const { actions } = useEditor()
  return (
    <>
      {/* They stand beside the marks: after the buttons one of them would be left over for a line of its own. */}
      <span className={styles.menus}>
        <Invisible
          isOpen={inserts}
          onOpenChange={onInserts}
          insert={text => fields.current.get(active)?.insert(text)}
        />
        <More
          row={row}
          target={target}
          copy={text => fields.current.get(active)?.replaceAll(text)}
          ending={() => active}
        />
      </span>
      <div className={styles.actions}>
        {isStale && (
          <Button small icon={<Check aria-hidden />} onPress={() => actions.confirm(row, target)}>
            {t('stillRight')}
          </Button>
        )}
        <Button small onPress={() => actions.saveStay(row, target)}>
          {t('common:save')}
        </Button>
        <Button
          small
          look="primary"
          icon={<CornerDownLeft aria-hidden />}
          onPress={() => actions.saveNext(row, target)}
        >
          {t('saveNext')}
        </Button>
      </div>
    </>
  )
})

/** The first field that waits for a text, else the first. */
const firstOpen = (leaves: readonly { ending: string }[], texts: Readonly<Record<string, string>>) =>
  (leaves.find(({ ending }) => !texts[ending]) ?? leaves[0]!).ending

interface Previewed {
  row: Row
  language: string
  ending: string
  text: string
  /** Whether 0 has a form of its own. */
  hasZero: boolean
}

/** The text as apps show it, where that is not simply the text. */
function Preview({ row, language, ending, text, hasZero }: Previewed) {
  const { columns, t } = useEditor()
  const { lookup } = useAllRows()
  const shown = useDeferredValue(text)
  const model = modelText(row.source, leafAt(ending))
  if (!isFilled(shown || model)) return null
  const { namespace, key } = row
  return (
    <section aria-label={t('preview')}>
      <TextPreview
        key={ending}
        typed={{ language, namespace, key, text: shown, ...(ending !== '' && { form: ending.slice(1) }) }}
        sourceLanguage={columns.source}
        model={model}
        lookup={lookup}
        hasZero={hasZero}
      />
    </section>
  )
}
