/** A text as the app shows it, with the values that it is filled with. */
import { createElement, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Interpolation } from '../../../bundle/placeholders.ts'
import { directionOf } from '../../i18n/languages.ts'
import { Isolated } from '../../ui/isolated.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { leafAt } from '../model/leaves.ts'
import { examplesOfForm } from '../preview/examples.ts'
import { type Lookup, previewOf, type TypedText, withTyped } from '../preview/preview-of.ts'
import { type RichNode, richText } from '../preview/rich-text.ts'
import { exampleIn, type Variable, valueFrom, valuesOf, variablesOf } from '../preview/variables.ts'
import styles from './text-preview.module.css'

interface Props {
  typed: TypedText
  sourceLanguage: string
  /** Of the project, where it has its own. */
  interpolation: Interpolation | undefined
  /** The text of the source, which is shown as long as there is no other. */
  model: string
  /** Of the saved texts. */
  lookup: Lookup
  /** Whether the same text has a form for 0 alone. */
  hasZero: boolean
}

/** Maximum number of values to enter; further variables use their example. */
const MOST_VALUES = 50

/** The text by i18next's own `t()`, and a field for each value. */
export function TextPreview(props: Props) {
  const { typed, sourceLanguage, interpolation, lookup } = props
  const { t, i18n } = useTranslation('editor')
  const [given, setGiven] = useState<Record<string, string>>({})
  const { language, namespace, key, ending, text } = typed
  const now = withTyped(lookup, typed)
  const variables = variablesHere(props, now)
  const shown = previewOf({
    language,
    sourceLanguage,
    interpolation,
    namespace,
    key,
    lookup: now,
    values: valuesOf(variables, given, i18n.language),
    ordinal: leafAt(ending).kind === 'ordinal',
  })
  const shownIn = shown.from === 'source' ? sourceLanguage : language
  return (
    <div className={styles.preview}>
      {shown.error === undefined ? (
        <p className={styles.text} lang={shownIn} dir={directionOf(shownIn)} translate="no">
          <RenderedText nodes={richText(shown.text)} />
        </p>
      ) : (
        <p className={styles.note}>{t('previewFails', { error: shown.error })}</p>
      )}
      {text === '' && shown.from === 'source' && <p className={styles.note}>{t('previewOfSource')}</p>}
      {variables.length > 0 && (
        <div className={styles.values}>
          {variables.slice(0, MOST_VALUES).map(variable => {
            const { name, type } = variable
            const example = exampleIn(i18n.language, variable)
            const value = given[name] ?? example
            return (
              <TextField
                key={name}
                label={name}
                aria-label={t('previewValue', { name })}
                value={value}
                onChange={value => setGiven({ ...given, [name]: value })}
                {...(valueFrom(type, value, i18n.language) === undefined && { error: t('previewLike', { example }) })}
              />
            )
          })}
        </div>
      )}
    </div>
  )
}

/** `count` of a plural's form is a number that has it. */
function variablesHere(props: Props, lookup: Lookup): Variable[] {
  const { typed, sourceLanguage, interpolation, model, hasZero } = props
  const { language, namespace, ending } = typed
  const text = typed.text || model
  const find = (namespace: string, key: string) =>
    lookup(language, namespace, key) ?? lookup(sourceLanguage, namespace, key)
  const nested = (key: string) => {
    const colon = key.indexOf(':')
    const message = find(namespace, key) ?? (colon > 0 ? find(key.slice(0, colon), key.slice(colon + 1)) : undefined)
    return typeof message === 'string' ? message : (message?.text ?? message?.cardinal?.other)
  }
  const variables = variablesOf(text, nested, interpolation)
  const leaf = leafAt(ending)
  if (leaf.kind === 'text') return variables
  const [number = 0] = examplesOfForm(language, leaf.kind, leaf.form, hasZero).numbers
  const others = variables.filter(({ name }) => name !== 'count')
  return [{ name: 'count', type: 'number', example: String(number) }, ...others]
}

/** Elements that are rendered as they are, without attributes. */
const BASIC: ReadonlySet<string> = new Set('b br code em i mark p s small strong sub sup u'.split(' '))

/** Never inserts HTML: elements are created by name. */
function RenderedText({ nodes }: { nodes: readonly RichNode[] }) {
  return nodes.map(node => {
    const { from } = node
    if ('text' in node) return <Isolated key={from} text={node.text} />
    const { tag, children } = node
    const within = children.length > 0 ? <RenderedText nodes={children} /> : undefined
    if (BASIC.has(tag)) return createElement(tag, { key: from }, tag === 'br' ? undefined : within)
    return (
      <span key={from} className={styles.chip}>
        <bdi dir="ltr" className={styles.tag}>
          {tag}
        </bdi>
        {within}
      </span>
    )
  })
}
