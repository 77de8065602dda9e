/** The field of one text or form, with what helps to write it. */
import {
  type KeyboardEvent,
  type Ref,
  useDeferredValue,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
} from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../bundle/message.ts'
import { placedIn, placeholdersOf } from '../../bundle/placeholders.ts'
import { threeWay } from '../../bundle/three-way.ts'
import type { LanguagePermit } from '../api/language-permit.ts'
import { useDraft, useOtherDrafts } from '../drafts/use-drafts.tsx'
import { directionOf } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { late } from '../ui/late.tsx'
import { useAnnouncement } from '../ui/use-announcement.ts'
import styles from './cell.module.css'
import { useEditor } from './editor-context.ts'
import { differencesOf, sentenceOf } from './field/fault-sentence.ts'
import { faultsOf } from './field/faults-of.ts'
import { TranslationField, type TranslationFieldHandle } from './field/translation-field.tsx'
import { commandOf, type EditorCommand } from './model/keyboard.ts'
import { chipsOf, isHeavy, type MessageLeaf, MOST_CHARACTERS, MOST_PLACEHOLDERS } from './model/leaves.ts'
import type { CellProblem } from './model/rows.ts'
import { offeredMatch } from './panel/panel-keys.ts'
import { PluralNumbers } from './preview/plural-numbers.tsx'
import { useDraftAddress } from './saving/unsaved-texts.ts'
import { formName, ShownText } from './shown-text.tsx'
import { UnderField } from './under-field.tsx'

interface Props {
  place: { language: string; namespace: string; key: string }
  leaf: MessageLeaf
  /** The saved text; null is none. */
  stored: string | null
  /** The text that it is a translation of. */
  model: string
  source: Message | undefined
  /** The form's name is shown: there is more than one field. */
  named: boolean
  /** Whether one of the fields is for 0 alone. */
  hasZero: boolean
  mode: LanguagePermit['mode']
  /** The first field of the row, which says why it is read-only. */
  isFirst: boolean
  /** Problems of the saved text that the server alone finds. */
  reported: readonly CellProblem[]
  /** Kinds of problems that do not count for the saved text. */
  dismissed: readonly string[]
  onFocus: () => void
  /** Asks for a character that the keyboard lacks. */
  onInsert: () => void
  /** The translation of another key with the same source; undefined if there is none. */
  sameText: () => string
  ref: Ref<TranslationFieldHandle>
}

const OtherTexts = late(() => import('./other-texts.tsx'), 'silent')

/** The commands that the field handles itself. */
const OF_FIELD: ReadonlySet<EditorCommand> = new Set(['placeholder', 'copySource', 'useSame', 'useMatch', 'invisible'])

/** Stores the typed text as a draft until it is saved. */
export function LeafField({
  place,
  leaf,
  stored,
  model,
  source,
  named,
  hasZero,
  mode,
  isFirst,
  reported,
  dismissed,
  onFocus,
  onInsert,
  sameText,
  ref,
}: Props) {
  const { t } = useTranslation('editor')
  const { slug, columns, isMac, showsInvisible } = useEditor()
  const { interpolation } = columns
  const addressOf = useDraftAddress(slug)
  const address = addressOf({ ...place, ending: leaf.ending })
  const { draft, write, rebase, discard } = useDraft(address)
  const field = useRef<TranslationFieldHandle>(null)
  const hasFocus = useRef(false)
  const described = useId()
  useImperativeHandle(ref, () => field.current!)
  const text = draft?.text ?? stored ?? ''
  const hasDraft = useRef(false)
  hasDraft.current = draft !== undefined
  useEffect(() => {
    // Without typed text, another user's write is shown even in the focused field, and becomes the base of later
    // typing. Not at the end of a draft: it ends a moment before the saved text arrives here.
    const isTyped = hasDraft.current || !hasFocus.current
    if (!isTyped && field.current!.text !== (stored ?? '')) field.current!.replaceAll(stored ?? '')
  }, [stored])
  const isTyped = draft !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when a draft has become a suggestion
  useEffect(() => {
    // The text itself is the old one.
    const isLeft = mode !== 'suggest' || isTyped || !hasFocus.current || field.current!.text === (stored ?? '')
    if (!isLeft) field.current!.replaceAll(stored ?? '')
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
    () => faultsOf({ source, text: checked, language: place.language, ending: leaf.ending }, columns),
    [source, columns, checked, place.language, leaf.ending],
  )
  const isSaved = !draft && checked === stored
  const checks = isSaved ? found.filter(check => !('kind' in check && dismissed.includes(check.kind))) : found
  // The counter states the length.
  const differences = draft ? [] : reported.filter(({ kind }) => kind !== 'length').flatMap(differencesOf)
  const heavy = isHeavy(checked, interpolation)
  const keyed = (event: KeyboardEvent) => {
    const asked = commandOf(event.nativeEvent, 'field', isMac)
    if (!asked || !OF_FIELD.has(asked.command) || mode === 'read') return
    event.preventDefault()
    event.stopPropagation()
    if (asked.command === 'invisible') onInsert()
    else if (asked.command === 'copySource') field.current!.replaceAll(model)
    else if (asked.command === 'useSame') field.current!.replaceAll(sameText() || text)
    else if (asked.command === 'useMatch') {
      const match = offeredMatch({ ...place, ending: leaf.ending }, asked.number!)
      if (match !== undefined) field.current!.replaceAll(match)
    } else if (chips[asked.number! - 1] !== undefined) field.current!.insert(chips[asked.number! - 1]!)
  }
  const conflict = draft && threeWay(draft.before, draft.text, stored) === 'conflict'
  const others = useOtherDrafts(address).filter(other => other.text !== text)
  useAnnouncement(others.length > 0 ? t('otherTabKey', { key: place.key }) : '')
  useAnnouncement(conflict ? t('conflictKey', { key: place.key }) : '')
  useAnnouncement(checks.map(check => sentenceOf(check, t)).join(' '), checked)
  const name = formName(leaf, t)
  // Unique among the fields of the row.
  const where = [named && name, columns.targets.length > 1 && place.language].filter(Boolean).join(', ')
  const inserted = (placeholder: string) => ({ placeholder, where })
  return (
    <div className={styles.leaf}>
      <div className={styles.above}>
        {named && (
          <span className={styles.form}>
            {name} <PluralNumbers language={place.language} leaf={leaf} hasZero={hasZero} />
          </span>
        )}
        {chips.length > 0 && mode !== 'read' && (
          <fieldset className={styles.chips} aria-label={t('placeholders')}>
            {chips.map((chip, at) => (
              <Button
                key={chip}
                small
                aria-label={where === '' ? t('insertPlaceholder', inserted(chip)) : t('insertInto', inserted(chip))}
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
        language={place.language}
        label={t('fieldLabel', { key: place.key, form: named ? name : '', language: place.language })}
        describedBy={described}
        invalid={checks.length > 0}
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
      {!heavy && directionOf(place.language) === 'rtl' && placedIn(checked, interpolation).length > 0 && (
        <figure className={styles.reading}>
          <figcaption className="quiet">{t('reading')}</figcaption>
          <ShownText text={checked} language={place.language} interpolation={interpolation} />
        </figure>
      )}
      <div id={described} className={styles.under}>
        {mode === 'read' && isFirst && <p className="quiet">{t('readOnlyWhy')}</p>}
        <UnderField
          language={place.language}
          namespace={place.namespace}
          name={place.key}
          ending={leaf.ending}
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
