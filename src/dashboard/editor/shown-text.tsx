/** Texts for reading: placeholders marked, forms named. */
import type { TFunction } from 'i18next'
import { Fragment, type ReactNode } from 'react'
import type { Interpolation } from '../../bundle/placeholders.ts'
import { directionOf } from '../i18n/languages.ts'
import { splitText } from '../ui/isolated.tsx'
import type { EditorState } from './editor-context.ts'
import { type Invisible, invisibleIn } from './field/invisible.ts'
import { type LeafTexts, leafAt, type MessageLeaf, MOST_CHARACTERS } from './model/leaves.ts'
import styles from './shown-text.module.css'

/** Signs in one text. */
const MOST_SIGNS = 200

type MarkWords = (whole: string, from: number, part: string) => ReactNode

interface Props {
  text: string
  language: string
  interpolation: Interpolation | undefined
  /** Whether characters that cannot be seen are shown by a sign. */
  invisible?: boolean
  mark?: MarkWords | undefined
}

/** A text. Plain words are not wrapped: each scrolled frame renders dozens of them. */
export function ShownText({ text: whole, language, interpolation, invisible = false, mark }: Props) {
  // Of the whole text: a space beside a placeholder is not at an end.
  const unseen = invisible ? invisibleIn(whole.slice(0, MOST_CHARACTERS)).slice(0, MOST_SIGNS) : []
  return (
    <span className={styles.text} lang={language} dir={directionOf(language)}>
      {splitText(whole, interpolation).map(({ from, is, text }) => {
        if (is === 'placeholder') {
          return (
            <code key={from} className={styles.placeholder}>
              {text}
            </code>
          )
        }
        const to = from + text.length
        const here = unseen.filter(one => one.from >= from && one.to <= to)
        if (here.length > 0) return <Fragment key={from}>{withSigns(whole, from, to, here)}</Fragment>
        return mark ? <Fragment key={from}>{mark(whole, from, text)}</Fragment> : text
      })}
    </span>
  )
}

/** A part of a text with signs for invisible characters. Copying it copies the text. */
function withSigns(whole: string, from: number, to: number, unseen: readonly Invisible[]): ReactNode[] {
  const parts = unseen.map((one, at) => (
    <Fragment key={one.from}>
      {whole.slice(unseen[at - 1]?.to ?? from, one.from)}
      <span className={styles.invisible} data-name={one.name}>
        {whole.slice(one.from, one.to)}
      </span>
    </Fragment>
  ))
  return [...parts, whole.slice(unseen.at(-1)!.to, to)]
}

/** All texts of a message, each form by its name. Not a component: two less in each row. */
export function shownTexts(
  texts: LeafTexts,
  language: string,
  { columns, showsInvisible: invisible, t }: EditorState,
  mark?: MarkWords,
): ReactNode {
  const shared = { language, interpolation: columns.interpolation, invisible, mark }
  const endings = Object.keys(texts)
  if (endings.length === 1 && endings[0] === '') return ShownText({ text: texts['']!, ...shared })
  return (
    <span className={styles.forms}>
      {endings.map(ending => (
        <Fragment key={ending}>
          <span className={`quiet ${styles.form}`}>{formName(leafAt(ending), t)}</span>
          <ShownText text={texts[ending]!} {...shared} />
        </Fragment>
      ))}
    </span>
  )
}

/** The same in a closed row, which has two lines at most. */
export function clampedTexts(texts: LeafTexts, language: string, editor: EditorState): ReactNode {
  const shown = shownTexts(texts, language, editor)
  return isLong(texts) ? <span className={styles.clamped}>{shown}</span> : shown
}

/** Characters that a line holds in the narrowest column, half as many of the wide ones. */
const LEAST_LINE = 25
const WIDE = /[\u1100-\u115f\u2e80-\uffdc]/

/** They may have more than two lines; a form stands beside its name. Hidden lines slow each scrolled frame. */
function isLong(texts: LeafTexts): boolean {
  const all = Object.values(texts)
  const most = '' in texts ? 2 * LEAST_LINE : LEAST_LINE
  const widthOf = (text: string) => (WIDE.test(text) ? 2 : 1) * text.length
  return all.length > 2 || all.some(text => text.includes('\n') || widthOf(text) > most)
}

/** CLDR's name of a form, as translators know it from files. @param t of the namespace `editor` */
export function formName(leaf: MessageLeaf, t: TFunction<'editor'>): string {
  if (leaf.kind === 'text') return t('text')
  return leaf.kind === 'ordinal' ? t('ordinalForm', { form: leaf.form }) : leaf.form
}
