/** The text as apps render it, where that differs from the text, and the values that it is filled with. */
import { createElement, useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { placedIn } from '../../../bundle/placeholders.ts'
import { directionOf } from '../../i18n/languages.ts'
import { TextField } from '../../ui/form.tsx'
import { Isolated } from '../../ui/isolated.tsx'
import { useAllRows, useEditor } from '../editor-context.ts'
import { isHeavy, leafAt, leavesFor, modelText, textsOf, withTexts } from '../model/leaves.ts'
import { rulesFor } from '../model/rows.ts'
import { examplesOfForm } from '../preview/examples.ts'
import { type Lookup, previewOf, type RichNode, richText, type TypedText, withTyped } from '../preview/preview-of.ts'
import { exampleIn, valueFrom, valuesOf, variablesOf } from '../preview/variables.ts'
import { textsIn, useOwnDrafts } from '../saving/unsaved-texts.ts'
import styles from './panel.module.css'
import { type PanelSubject, Section } from './section.tsx'

/** Maximum number of values to enter; further variables use their example. */
const MOST_VALUES = 50

/** Includes the typed text; nothing for a text without placeholders and tags. */
export function PreviewSection({ row, target, language, ending }: PanelSubject) {
  const { columns, slug, t } = useEditor()
  const { interpolation } = columns
  const drafts = useOwnDrafts(slug, row, language)
  const { message: stored } = row.cells[target]!
  const message = drafts.length > 0 ? withTexts(stored, textsIn(drafts)) : stored
  const text = useDeferredValue(textsOf(message)[ending] ?? '')
  const model = modelText(row.source, leafAt(ending))
  const shown = text || model
  if (isHeavy(shown, interpolation) || placedIn(shown, interpolation).length === 0) return null
  const leaves = leavesFor(row.source, message, rulesFor(columns, language))
  return (
    <Section title={t('preview')}>
      <TextPreview
        key={ending}
        typed={{ language, namespace: row.namespace, key: row.key, ending, text }}
        model={model}
        hasZero={leaves.some(({ ending }) => ending === '_zero')}
      />
    </Section>
  )
}

/**
 * The text by i18next's own `t()`, and a field for each value.
 * @param model the text of the source, shown as long as there is no other
 * @param hasZero whether the same text has a form for 0 alone
 */
function TextPreview({ typed, model, hasZero }: { typed: TypedText; model: string; hasZero: boolean }) {
  const { t, i18n } = useTranslation('editor')
  const { interpolation, source } = useEditor().columns
  const lookup = withTyped(useAllRows().lookup, typed)
  const [given, setGiven] = useState<Record<string, string>>({})
  const { language, text } = typed
  const leaf = leafAt(typed.ending)
  const found = variablesOf(text || model, nestedIn(lookup, typed, source), interpolation)
  const variables = leaf.kind === 'text' ? found : found.filter(({ name }) => name !== 'count')
  if (leaf.kind !== 'text') {
    // `count` of a plural's form is a number that has it.
    const [number = 0] = examplesOfForm(language, leaf.kind, leaf.form, hasZero).numbers
    variables.unshift({ name: 'count', type: 'number', example: String(number) })
  }
  const shown = previewOf({
    ...typed,
    sourceLanguage: source,
    interpolation,
    lookup,
    values: valuesOf(variables, given, i18n.language),
    ordinal: leaf.kind === 'ordinal',
  })
  const shownIn = shown.from === 'source' ? source : language
  return (
    <div className="stack2">
      {shown.error === undefined ? (
        <p className={styles.rendered} lang={shownIn} dir={directionOf(shownIn)} translate="no">
          <RenderedText nodes={richText(shown.text)} />
        </p>
      ) : (
        <p className="quiet">{t('previewFails', { error: shown.error })}</p>
      )}
      {text === '' && shown.from === 'source' && <p className="quiet">{t('previewOfSource')}</p>}
      {variables.length > 0 && (
        <div className={styles.values}>
          {variables.slice(0, MOST_VALUES).map(variable => {
            const { name, type } = variable
            const example = exampleIn(i18n.language, variable)
            const value = given[name] ?? example
            const isWrong = valueFrom(type, value, i18n.language) === undefined
            return (
              <TextField
                key={name}
                label={name}
                aria-label={t('previewValue', { name })}
                value={value}
                onChange={value => setGiven({ ...given, [name]: value })}
                error={isWrong ? t('previewLike', { example }) : ''}
              />
            )
          })}
        </div>
      )}
    </div>
  )
}

/** Finds the text of a key that a text nests, in its namespace or by a full name. */
const nestedIn =
  (lookup: Lookup, { language, namespace }: TypedText, source: string) =>
  (name: string) => {
    const find = (namespace: string, key: string) => lookup(language, namespace, key) ?? lookup(source, namespace, key)
    const colon = name.indexOf(':')
    const full = colon > 0 ? find(name.slice(0, colon), name.slice(colon + 1)) : undefined
    const message = find(namespace, name) ?? full
    return typeof message === 'string' ? message : (message?.text ?? message?.cardinal?.other)
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
