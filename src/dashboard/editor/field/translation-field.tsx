/** The field for a translation: the browser's own plain-text editing, with its undo, spelling and input methods. */
import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { directionOf } from '../../i18n/languages.ts'
import * as dom from './text-dom.ts'
import styles from './translation-field.module.css'

/** Maximum number of marks. Each is measured, and more do not help the reader. */
const MOST_MARKS = 200
const NONE: readonly InvisibleMark[] = []

export interface TranslationFieldHandle {
  focus(): void
  /** Inserts at the caret, or where it last was, as if typed: it can be undone. */
  insert(text: string): void
  /** Replaces the whole text, as typing does. */
  replaceAll(text: string): void
  readonly text: string
}

type FieldRef = React.RefObject<TranslationFieldHandle | null>

/** Reaches the fields of open rows by row, language and leaf, for parts of the editor outside of them. */
export class OpenFields {
  readonly #fields = new Map<string, FieldRef>()

  add(rowId: string, language: string, ending: string, field: FieldRef): () => void {
    const id = JSON.stringify([rowId, language, ending])
    this.#fields.set(id, field)
    return () => this.#fields.get(id) === field && this.#fields.delete(id)
  }

  /** Undefined where the row is closed. */
  get(rowId: string, language: string, ending: string): TranslationFieldHandle | undefined {
    return this.#fields.get(JSON.stringify([rowId, language, ending]))?.current ?? undefined
  }
}

interface Props extends dom.FieldContent, Omit<React.HTMLAttributes<HTMLDivElement>, 'onInput'> {
  /**
   * The text from outside. Typed text need not return through it. A change is shown, but never over a focused field
   * with typed text.
   */
  value: string
  /** Hears of each change but those within the composition of an input method. */
  onInput: (text: string) => void
  /** BCP 47, of the text: for spelling, fonts, direction. */
  lang: string
  /** It can be focused and copied from. */
  isReadOnly: boolean
  ref: React.Ref<TranslationFieldHandle>
}

/** Browsers without the CSS Custom Highlight API highlight nothing. */
export function TranslationField(props: Props) {
  const { value, onInput, isReadOnly, placeholders, interpolation, showInvisible, ref, ...attributes } = props
  const field = useRef<HTMLDivElement>(null)
  /** Where the caret was last. */
  const caret = useRef<Range>(undefined)
  const composes = useRef(false)
  const [highlights] = useState(() => new dom.FieldHighlights())
  const [marks, setMarks] = useState(NONE)

  const paint = useCallback(() => {
    const unseen = highlights.show(field.current!, { placeholders, interpolation, showInvisible })
    setMarks(unseen.length === 0 ? NONE : measured(field.current!, unseen.slice(0, MOST_MARKS)))
  }, [highlights, placeholders, interpolation, showInvisible])

  // Before the text is inserted, which paints by itself.
  useLayoutEffect(paint, [paint])
  const outside = useOutside(field, value, (field, text) => {
    dom.writeText(field, text)
    caret.current = undefined
    paint()
  })
  useEffect(() => {
    // It may still receive a call just after the field has unmounted.
    const resized = new ResizeObserver(() => field.current && !composes.current && paint())
    resized.observe(field.current!)
    return () => resized.disconnect()
  }, [paint])
  useEffect(() => {
    const own = field.current!
    const over = new AbortController()
    const { signal } = over
    const moved = () => {
      if (document.activeElement === own) caret.current = dom.selectionIn(own) ?? caret.current
    }
    // Lines that a keyboard pastes as one text from its own clipboard. Chromium would create blocks and lose the line
    // breaks.
    const given = (event: InputEvent) => {
      if (event.inputType !== 'insertText' || !event.data?.includes('\n') || !event.cancelable) return
      event.preventDefault()
      dom.insertText(own, event.data)
    }
    document.addEventListener('selectionchange', moved, { signal })
    own.addEventListener('beforeinput', given, { signal })
    return () => {
      over.abort()
      highlights.clear()
    }
  }, [highlights])

  const typed = () => {
    if (composes.current) return
    paint()
    const text = dom.readText(field.current!)
    outside.typed(text)
    onInput(text)
  }
  const enter = (range: Range) => {
    field.current!.focus()
    dom.select(range)
  }
  // Behind the text, as in any field that one enters by keyboard to go on writing.
  const focus = () => enter(caret.current ?? dom.endOf(field.current!))
  useImperativeHandle(ref, () => ({
    focus,
    insert(text) {
      if (isReadOnly) return
      if (document.activeElement !== field.current) focus()
      dom.insertText(field.current!, text)
    },
    replaceAll(text) {
      if (isReadOnly) return
      enter(dom.rangeOfAll(field.current!))
      dom.insertText(field.current!, text)
    },
    get text() {
      return dom.readText(field.current!)
    },
  }))

  return (
    <div className={styles.frame}>
      <div
        {...attributes}
        ref={field}
        className={styles.field}
        role="textbox"
        aria-multiline
        aria-readonly={isReadOnly || undefined}
        contentEditable={isReadOnly ? false : 'plaintext-only'}
        spellCheck
        translate="no"
        dir={directionOf(props.lang)}
        tabIndex={0}
        onInput={typed}
        onCompositionStart={() => {
          composes.current = true
        }}
        onCompositionEnd={() => {
          composes.current = false
          typed()
        }}
        onBlur={event => {
          outside.left()
          props.onBlur?.(event)
        }}
      />
      {marks.length > 0 && (
        // Screen readers say such characters by themselves, as their user wants.
        <span aria-hidden className={styles.marks} dir="ltr">
          {marks.map(({ name, left, top, height }, at) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: the n-th mark is the n-th mark
              key={at}
              className={name === '↵' ? styles.lineEnd : styles.mark}
              style={{ left, top, '--height': `${height}px` } as React.CSSProperties}
              data-name={name}
            />
          ))}
        </span>
      )}
    </div>
  )
}

/** Shows `value` by `show` when it changes. Waits while the field has the focus; never overwrites typed text. */
function useOutside(
  field: React.RefObject<HTMLElement | null>,
  value: string,
  show: (field: HTMLElement, text: string) => void,
) {
  const state = useRef<{ shown?: string; given?: string; waiting?: string | undefined }>({})
  const write = (text: string) => {
    state.current = { shown: text, given: text }
    show(field.current!, text)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another text is shown
  useLayoutEffect(() => {
    const { shown, given } = state.current
    // In an unfocused window the field is still the active element, though the user is elsewhere.
    const isIn = document.activeElement === field.current && document.hasFocus()
    if (value === shown) state.current = { shown, given: value }
    else if (shown === undefined || !isIn) write(value)
    else if (shown === given) state.current.waiting = value
  }, [value])
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

/** An invisible character, in pixels from the upper left corner of the field. */
interface InvisibleMark {
  name: string
  left: number
  top: number
  height: number
}

function measured(field: HTMLElement, places: readonly { name: string; from: number; to: number }[]): InvisibleMark[] {
  const frame = field.getBoundingClientRect()
  return dom.rangesIn(field, places).flatMap((range, at) => {
    const { left, top, height } = range.getClientRects()[0] ?? range.getBoundingClientRect()
    return height === 0 ? [] : [{ name: places[at]!.name, left: left - frame.left, top: top - frame.top, height }]
  })
}
