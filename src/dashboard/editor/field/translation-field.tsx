/** The field for a translation: the browser's own plain-text editing, with its undo, spelling and input methods. */
import {
  type CSSProperties,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Interpolation } from '../../../bundle/placeholders.ts'
import { directionOf } from '../../i18n/languages.ts'
import { FieldHighlights } from './highlights.ts'
import './highlights.css'
import { insertText, rangeOfAll, rangesIn, readText, select, selectionIn, writeText } from './text-dom.ts'
import styles from './translation-field.module.css'

/** Maximum number of marks. Each is measured, and more do not help the reader. */
const MOST_MARKS = 200
const NONE: readonly InvisibleMark[] = []

/** The handle of a field. */
export interface TranslationFieldHandle {
  focus(): void
  /** Inserts at the caret, or where it last was, as if typed: it can be undone. */
  insert(text: string): void
  /** Replaces the whole text, as typing does. */
  replaceAll(text: string): void
  /** The current text. */
  readonly text: string
}

interface Props {
  /**
   * The text from outside. Typed text need not return through it. A change is shown, but never over a focused field
   * with typed text.
   */
  value: string
  /** Hears of each change but those within the composition of an input method. */
  onInput: (text: string) => void
  /** BCP 47, of the text: for spelling, fonts, direction. */
  language: string
  /** The accessible name of the field. */
  label: string
  /** The id of what explains it: its checks. */
  describedBy: string
  invalid: boolean
  /** It can be focused and copied from. */
  isReadOnly: boolean
  /** The placeholders of the source; others are marked as unknown. Undefined marks none. */
  placeholders: readonly string[] | undefined
  /** Of the project, where it has its own. */
  interpolation: Interpolation | undefined
  /** Whether characters without a look of their own are shown. */
  showInvisible: boolean
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
  onFocus: () => void
  onBlur: () => void
  ref: Ref<TranslationFieldHandle>
}

/** Browsers without the CSS Custom Highlight API highlight nothing. */
export function TranslationField(props: Props) {
  const { value, onInput, language, label, describedBy, invalid, isReadOnly } = props
  const { placeholders, interpolation, showInvisible, onKeyDown, onFocus, onBlur, ref } = props
  const field = useRef<HTMLDivElement>(null)
  /** Where the caret was last. */
  const caret = useRef<Range>(undefined)
  const composes = useRef(false)
  const [highlights] = useState(() => new FieldHighlights())
  const [marks, setMarks] = useState(NONE)

  const paint = useCallback(() => {
    const unseen = highlights.show(field.current!, { placeholders, interpolation, invisible: showInvisible })
    setMarks(unseen.length === 0 ? NONE : measured(field.current!, unseen.slice(0, MOST_MARKS)))
  }, [highlights, placeholders, interpolation, showInvisible])

  // Before the text is inserted, which paints by itself.
  useLayoutEffect(paint, [paint])
  const outside = useOutside(field, value, (field, text) => {
    writeText(field, text)
    caret.current = undefined
    paint()
  })
  useEffect(() => {
    // It may still receive a call just after the field has unmounted.
    const resized = new ResizeObserver(() => field.current && !composes.current && paint())
    resized.observe(field.current!)
    return () => resized.disconnect()
  }, [paint])
  useEffect(() => () => highlights.clear(), [highlights])
  useEffect(() => {
    const moved = () => {
      if (document.activeElement === field.current) caret.current = selectionIn(field.current!) ?? caret.current
    }
    document.addEventListener('selectionchange', moved)
    return () => document.removeEventListener('selectionchange', moved)
  }, [])

  useEffect(() => {
    const own = field.current!
    // Lines that a keyboard pastes as one text from its own clipboard. Chromium would create blocks and lose the line
    // breaks.
    const given = (event: InputEvent) => {
      if (event.inputType !== 'insertText' || !event.data?.includes('\n') || !event.cancelable) return
      event.preventDefault()
      insertText(own, event.data)
    }
    own.addEventListener('beforeinput', given)
    return () => own.removeEventListener('beforeinput', given)
  }, [])

  const typed = () => {
    if (composes.current) return
    paint()
    const text = readText(field.current!)
    outside.typed(text)
    onInput(text)
  }

  const enter = (range = caret.current) => {
    field.current!.focus()
    if (range) select(range)
  }
  useImperativeHandle(ref, () => ({
    // Behind the text, as in any field that one enters by keyboard to go on writing.
    focus: () => enter(caret.current ?? endOf(field.current!)),
    insert(text) {
      if (isReadOnly) return
      if (document.activeElement !== field.current) enter(caret.current ?? endOf(field.current!))
      insertText(field.current!, text)
    },
    replaceAll(text) {
      if (isReadOnly) return
      enter(rangeOfAll(field.current!))
      insertText(field.current!, text)
    },
    get text() {
      return readText(field.current!)
    },
  }))

  return (
    <div className={styles.frame}>
      <div
        ref={field}
        className={styles.field}
        role="textbox"
        aria-multiline
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        aria-readonly={isReadOnly || undefined}
        contentEditable={isReadOnly ? false : 'plaintext-only'}
        spellCheck
        translate="no"
        lang={language}
        dir={directionOf(language)}
        tabIndex={0}
        onInput={typed}
        onCompositionStart={() => {
          composes.current = true
        }}
        onCompositionEnd={() => {
          composes.current = false
          typed()
        }}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        onBlur={() => {
          outside.left()
          onBlur()
        }}
      />
      {marks.length > 0 && <InvisibleMarks marks={marks} />}
    </div>
  )
}

/** Shows `value` by `show` when it changes. Waits while the field has the focus; never overwrites typed text. */
function useOutside(
  field: RefObject<HTMLElement | null>,
  value: string,
  show: (field: HTMLElement, text: string) => void,
) {
  const state = useRef<{ shown?: string; given?: string; waiting?: string | undefined }>({})
  const showing = useRef(show)
  showing.current = show
  const write = useCallback(
    (text: string) => {
      state.current = { shown: text, given: text }
      showing.current(field.current!, text)
    },
    [field],
  )
  useLayoutEffect(() => {
    const { shown, given } = state.current
    // In an unfocused window the field is still the active element, though the user is elsewhere.
    const isIn = document.activeElement === field.current && document.hasFocus()
    if (value === shown) state.current = { shown, given: value }
    else if (shown === undefined || !isIn) write(value)
    else if (shown === given) state.current.waiting = value
  }, [field, value, write])
  return {
    /** The user typed; this is the current text. */
    typed: (text: string) => {
      state.current.shown = text
      state.current.waiting = undefined
    },
    /** The focus went elsewhere. */
    left: () => {
      const { waiting } = state.current
      if (waiting !== undefined) write(waiting)
    },
  }
}

function endOf(field: HTMLElement): Range {
  const end = readText(field).length
  return rangesIn(field, [{ from: end, to: end }])[0]!
}

/** The places of invisible characters in the field. */
function measured(field: HTMLElement, places: readonly { name: string; from: number; to: number }[]): InvisibleMark[] {
  const frame = field.getBoundingClientRect()
  return rangesIn(field, places).flatMap((range, at) => {
    const rects = range.getClientRects()
    const rect = rects[0] ?? range.getBoundingClientRect()
    if (rect.height === 0) return []
    const { left, top, height } = rect
    return [{ name: places[at]!.name, left: left - frame.left, top: top - frame.top, height }]
  })
}

/** In pixels, from the upper left corner of the field. */
interface InvisibleMark {
  name: string
  left: number
  top: number
  height: number
}

/** See the top of the file. Screen readers say such characters by themselves, as their user wants. */
function InvisibleMarks({ marks }: { marks: readonly InvisibleMark[] }) {
  return (
    <span aria-hidden className={styles.marks} dir="ltr">
      {marks.map(({ name, left, top, height }, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the n-th mark is the n-th mark
          key={at}
          className={name === '↵' ? styles.lineEnd : styles.mark}
          style={{ left, top, '--height': `${height}px` } as CSSProperties}
          data-name={name}
        />
      ))}
    </span>
  )
}
