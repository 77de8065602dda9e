/** Texts as they are read: placeholders told apart, forms named. */
import type { TFunction } from 'i18next'
import { Fragment, useMemo } from 'react'
import { placedIn } from '../../bundle/placeholders.ts'
import { directionOf } from '../i18n/languages.ts'
import { useEditor } from './context.ts'
import { invisibleIn } from './field/invisible.ts'
import { type Leaf, leafAt, type Texts } from './model/leaves.ts'
import styles from './shown-text.module.css'

/** One text. @param invisible whether characters that cannot be seen are shown by a sign */
export function ShownText({ text, language, invisible }: { text: string; language: string; invisible?: boolean }) {
  const parts = useMemo(() => split(text), [text])
  return (
    <span className={styles.text} lang={language} dir={directionOf(language)}>
      {parts.map(({ from, is, text }) => (
        <Fragment key={from}>
          {is === 'placeholder' ? (
            <code className={styles.placeholder}>{text}</code>
          ) : invisible && invisibleIn(text).length > 0 ? (
            <Seen text={text} />
          ) : (
            text
          )}
        </Fragment>
      ))}
    </span>
  )
}

/** A text with signs in the places of what cannot be seen; what is copied is the text. */
function Seen({ text }: { text: string }) {
  const found = invisibleIn(text)
  return found.map(({ name, from, to }, at) => (
    <Fragment key={from}>
      {text.slice(at === 0 ? 0 : found[at - 1]!.to, from)}
      <span className={styles.invisible} data-name={name}>
        {text.slice(from, to)}
      </span>
      {at === found.length - 1 && text.slice(to)}
    </Fragment>
  ))
}

interface Part {
  is: 'text' | 'placeholder'
  from: number
  text: string
}

function split(text: string): Part[] {
  const parts: Part[] = []
  let at = 0
  for (const { from, to } of placedIn(text)) {
    if (from < at) continue
    if (from > at) parts.push({ is: 'text', from: at, text: text.slice(at, from) })
    parts.push({ is: 'placeholder', from, text: text.slice(from, to) })
    at = to
  }
  if (at < text.length) parts.push({ is: 'text', from: at, text: text.slice(at) })
  return parts
}

/** All texts of a message, each form by its name. */
export function ShownTexts({ texts, language, invisible }: { texts: Texts; language: string; invisible?: boolean }) {
  const { t } = useEditor()
  const endings = Object.keys(texts)
  if (endings.length === 1 && endings[0] === '') {
    return <ShownText text={texts['']!} language={language} {...(invisible && { invisible })} />
  }
  return (
    <span className={styles.forms}>
      {endings.map(ending => (
        <Fragment key={ending}>
          <span className={styles.form}>{formName(leafAt(ending), t)}</span>
          <ShownText text={texts[ending]!} language={language} {...(invisible && { invisible })} />
        </Fragment>
      ))}
    </span>
  )
}

/** CLDR's name of a form, as translators know it from files. @param t of the namespace `editor` */
export function formName(leaf: Leaf, t: TFunction<'editor'>): string {
  if (leaf.kind === 'text') return t('text')
  return leaf.kind === 'ordinal' ? t('ordinalForm', { form: leaf.form }) : leaf.form
}
