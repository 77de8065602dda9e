/** The field of one text or form, with what helps to write it. */
import { memo, Suspense, useDeferredValue, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react'
import { placedIn, placeholdersOf } from '../../bundle/placeholders.ts'
import { threeWay } from '../../bundle/three-way.ts'
import { useDraft, useOtherDrafts } from '../drafts/use-drafts.tsx'
import { directionOf } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { late } from '../ui/late.tsx'
import { useAnnouncement } from '../ui/use-announcement.ts'
import { useWasIdle } from './browser-state.ts'
import styles from './cell.module.css'
import { useAllRows, useEditor, useSameTexts } from './editor-context.ts'
import { differencesOf, sentenceOf } from './field/fault-sentence.ts'
import { faultsOf } from './field/faults-of.ts'
import { TranslationField, type TranslationFieldHandle } from './field/translation-field.tsx'
import { commandOf, type EditorCommand } from './model/keyboard.ts'
import {
  chipsOf,
  isHeavy,
  type MessageLeaf,
  MOST_CHARACTERS,
  MOST_PLACEHOLDERS,
  modelText,
  textsOf,
} from './model/leaves.ts'
import { type EditorRow, reportedAlone } from './model/rows.ts'
import { offeredMatch } from './panel/panel-keys.ts'
import { PluralNumbers } from './preview/plural-numbers.tsx'
import { useDraftAddress } from './saving/unsaved-texts.ts'
import { formName, ShownText } from './shown-text.tsx'

const extras = () => import('./field-extras.tsx')
const OtherTexts = late(async () => ({ default: (await extras()).OtherTexts }), 'silent')
const FieldExtras = late(extras, 'silent')

/** What stands below a field and loads after it: nothing until the browser was idle. */
export const UnderField = memo<Parameters<typeof FieldExtras>[0]>(props =>
  useWasIdle() ? (
    <Suspense fallback={null}>
      <FieldExtras {...props} />
    </Suspense>
  ) : null,
)

interface Props {
  row: EditorRow
  target: number
  leaf: MessageLeaf
  /** All fields of the text; the first one says why it is read-only. */
  leaves: readonly MessageLeaf[]
  onFocus: () => void
  /** Asks for a character that the keyboard lacks. */
  onInsert: () => void
}

/** The commands that the field handles itself. */
const OF_FIELD: ReadonlySet<EditorCommand> = new Set(['placeholder', 'copySource', 'useSame', 'useMatch', 'invisible'])

/** Stores the typed text as a draft until it is saved. */
export function LeafField({ row, target, leaf, leaves, onFocus, onInsert }: Props) {
  const { slug, columns, fields, isMac, showsInvisible, permits, t } = useEditor()
  const { alike } = useAllRows()
  const sameTexts = useSameTexts(row, target)
  const { interpolation } = columns
  const { mode } = permits[target]!
  const { ending } = leaf
  const language = columns.targets[target]!
  const { source, namespace, key } = row
  const cell = row.cells[target]!
  const place = { language, namespace, key }
  /** The saved text; null is none. */
  const stored = textsOf(cell.message)[ending] ?? null
  /** The text that it is a translation of. */
  const model = modelText(source, leaf)
  const address = useDraftAddress(slug)({ ...place, ending })
  const { draft, write, rebase, discard } = useDraft(address)
  const field = useRef<TranslationFieldHandle>(null)
  useLayoutEffect(() => fields.add(row.id, language, ending, field), [fields, row.id, language, ending])
  const hasFocus = useRef(false)
  const described = useId()
  const text = draft?.text ?? stored ?? ''
  const isTyped = draft !== undefined
  /** Shows the saved text in a field that has the focus and nothing typed, where it says something else. */
  const showStored = () => {
    if (hasFocus.current && field.current!.text !== (stored ?? '')) field.current!.replaceAll(stored ?? '')
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another text is saved
  useEffect(() => {
    // Without typed text, another user's write is shown even in the focused field, and becomes the base of later
    // typing. Not at the end of a draft: it ends a moment before the saved text arrives here.
    if (!isTyped) showStored()
  }, [stored])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when a draft has become a suggestion
  useEffect(() => {
    // The text itself is the old one.
    if (mode === 'suggest' && !isTyped) showStored()
  }, [isTyped])
  const typed = (text: string) => {
    if (text === '' && (draft ? draft.before : stored) === null) discard()
    else write(text, stored)
  }
  const chips = useMemo(() => chipsOf(model, interpolation), [model, interpolation])
  const expected = useMemo(
    () => (source === undefined ? undefined : placeholdersOf(model, interpolation)),
    [source, model, interpolation],
  )
  // Typed text is rendered before it is checked.
  const checked = useDeferredValue(text)
  const found = useMemo(
    () => faultsOf({ source, text: checked, language, ending }, columns),
    [source, columns, checked, language, ending],
  )
  const isSaved = !draft && checked === stored
  const checks = isSaved ? found.filter(check => !('kind' in check && cell.dismissed.includes(check.kind))) : found
  // The counter states the length.
  const reported = reportedAlone(cell.problems).filter(
    ({ form, kind }) => ending === (form === undefined ? '' : `_${form}`) && kind !== 'length',
  )
  const differences = draft ? [] : reported.flatMap(differencesOf)
  const heavy = isHeavy(checked, interpolation)
  const keyed = (event: React.KeyboardEvent) => {
    const asked = commandOf(event.nativeEvent, 'field', isMac)
    if (!asked || !OF_FIELD.has(asked.command) || mode === 'read') return
    event.preventDefault()
    event.stopPropagation()
    if (asked.command === 'invisible') onInsert()
    else if (asked.command === 'copySource') field.current!.replaceAll(model)
    else if (asked.command === 'useSame') field.current!.replaceAll(sameTexts(alike, ending)[0]?.text || text)
    else if (asked.command === 'useMatch') {
      const match = offeredMatch({ ...place, ending }, asked.number!)
      if (match !== undefined) field.current!.replaceAll(match)
    } else if (chips[asked.number! - 1] !== undefined) field.current!.insert(chips[asked.number! - 1]!)
  }
  const conflict = draft && threeWay(draft.before, draft.text, stored) === 'conflict'
  const others = useOtherDrafts(address).filter(other => other.text !== text)
  useAnnouncement(others.length > 0 ? t('otherTabKey', { key }) : '')
  useAnnouncement(conflict ? t('conflictKey', { key }) : '')
  useAnnouncement(checks.map(check => sentenceOf(check, t)).join(' '), checked)
  const name = formName(leaf, t)
  /** There is more than one field. */
  const named = leaves.length > 1
  const hasZero = leaves.some(({ ending }) => ending === '_zero')
  // Unique among the fields of the row.
  const where = [named && name, columns.targets.length > 1 && language].filter(Boolean).join(', ')
  return (
    <div className="stack1">
      <div className={styles.above}>
        {named && (
          <span className={`quiet ${styles.formName}`}>
            {name} <PluralNumbers language={language} leaf={leaf} hasZero={hasZero} />
          </span>
        )}
        {chips.length > 0 && mode !== 'read' && (
          <fieldset className={`row1 ${styles.chips}`} aria-label={t('placeholders')}>
            {chips.map((chip, at) => (
              <Button
                key={chip}
                small
                aria-label={t(where === '' ? 'insertPlaceholder' : 'insertInto', { placeholder: chip, where })}
                // The field stays focused, so the caret stays.
                preventFocusOnPress
                tabIndex={-1}
                onPress={() => field.current!.insert(chip)}
              >
                <code {...(at < 9 && { 'data-number': at + 1 })}>{chip}</code>
              </Button>
            ))}
          </fieldset>
        )}
      </div>
      <TranslationField
        ref={field}
        value={text}
        onInput={typed}
        lang={language}
        aria-label={t('fieldLabel', { key, form: named ? name : '', language })}
        aria-describedby={described}
        aria-invalid={checks.length > 0 || undefined}
        isReadOnly={mode === 'read'}
        placeholders={expected}
        interpolation={interpolation}
        showInvisible={showsInvisible}
        onFocus={() => {
          hasFocus.current = true
          onFocus()
        }}
        onBlur={() => {
          hasFocus.current = false
        }}
        onKeyDown={keyed}
      />
      {/* Browsers reorder `</1>` between Arabic words of plain text, as in the field. */}
      {!heavy && directionOf(language) === 'rtl' && placedIn(checked, interpolation).length > 0 && (
        <figure className={`stack1 ${styles.reading}`}>
          <figcaption className="quiet">{t('reading')}</figcaption>
          <ShownText text={checked} language={language} interpolation={interpolation} />
        </figure>
      )}
      <div id={described} className={`stack1 ${styles.under}`}>
        {mode === 'read' && leaf === leaves[0] && <p className="quiet">{t('readOnlyWhy')}</p>}
        <UnderField
          language={language}
          namespace={namespace}
          name={key}
          ending={ending}
          stored={stored}
          onClose={nothing}
        />
        {heavy && (
          <p className="quiet">{t('heavyText', { characters: MOST_CHARACTERS, placeholders: MOST_PLACEHOLDERS })}</p>
        )}
        {[...checks, ...differences].map(fault => (
          <p key={fault.is + ('kind' in fault ? fault.kind : '')} className={styles.problem} data-sign="problems">
            {sentenceOf(fault, t)}
          </p>
        ))}
      </div>
      {(conflict || others.length > 0) && (
        <OtherTexts
          place={place}
          text={text}
          stored={stored}
          conflict={conflict ? { ...draft, address } : undefined}
          others={others}
          onUse={text => field.current!.replaceAll(text)}
          onMine={() => {
            rebase(stored)
            // The focused button disappears.
            field.current!.focus()
          }}
          onClose={nothing}
        />
      )}
    </div>
  )
}

const nothing = () => {}
