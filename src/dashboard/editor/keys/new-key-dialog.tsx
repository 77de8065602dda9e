/** Adds a key: its name, and its texts in the source language. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../../api/answer.ts'
import { registerMissing } from '../../api/client.ts'
import { useManifest } from '../../api/queries.ts'
import { languageName } from '../../i18n/languages.ts'
import { Dialog, SubmitActions } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { go, projectAddress } from '../../ui/location.ts'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useSubmission } from '../../ui/use-submission.ts'
import { useEditor } from '../editor-context.ts'
import { leafAt } from '../model/leaves.ts'
import { type EditorRow, idOf } from '../model/rows.ts'
import { PluralNumbers } from '../preview/plural-numbers.tsx'
import { crossing } from './crossing.ts'
import { contextsIn, formNamed, KINDS_OF_KEY, type NewKey, slotsOf } from './new-key.ts'
import { useChanging } from './use-changing.ts'

interface Props {
  rows: readonly EditorRow[]
  /** Gets the id of its row. */
  onAdded: (id: string) => void
  onClose: () => void
}

/** Adds a key with its plural forms and variants by context, in one commit that overwrites nothing. */
export default function NewKeyDialog({ rows, onAdded, onClose }: Props) {
  const { t, i18n } = useTranslation('keys')
  const { slug, columns, namespaces, namespace: shown } = useEditor()
  const change = useChanging()
  const { pending, problem, send } = useSubmission()
  const [namespace, setNamespace] = useState(shown ?? namespaces[0] ?? 'common')
  const [name, setName] = useState('')
  const [kind, setKind] = useState<NewKey['kind']>('text')
  const [contexts, setContexts] = useState('')
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const made = { name: name.trim(), kind, contexts: contextsIn(contexts) }
  const slots = slotsOf(made, columns.source)
  const manifest = useManifest(slug)
  const present = rows.filter(row => row.namespace === namespace)
  const duplicate = slots.find(({ key }) => present.some(row => row.key === key))?.key
  const other = formNamed(made)
  const nests = manifest.data?.defaultFormat !== 'i18next-json-flat'
  const crossed =
    nests && made.name !== ''
      ? crossing(
          slots.map(({ name }) => name),
          present,
        )
      : undefined
  const fault =
    duplicate !== undefined
      ? t('taken', { key: duplicate })
      : other !== undefined
        ? t('isForm', { key: other })
        : crossed
          ? t(`crosses.${crossed.is}`, { key: crossed.key })
          : ''
  // A text is known by its place, so that it stays while the name is typed.
  const idAt = ({ context, form = '' }: { context: string; form?: string }) => `${context} ${form}`
  const add = async () => {
    if (fault !== '') return
    const resource = Object.fromEntries(slots.map(slot => [slot.name, texts[idAt(slot)] ?? '']))
    const isDone = await send(() =>
      change(
        async () => {
          await answer(registerMissing({ slug, language: columns.source, $namespace: namespace, resource }))
          return {}
        },
        () => t('added', { key: made.name }),
      ),
    )
    if (!isDone) return
    onClose()
    if (shown === undefined || shown === namespace) onAdded(idOf(namespace, made.name))
    else go(projectAddress(slug, columns.targets[0]!, namespace, made.name))
  }
  return (
    <Dialog title={t('add')} isOpen onClose={onClose}>
      <Form onSubmit={() => void add()}>
        <TextField
          label={t('common:key')}
          hint={t('nameHint')}
          error={made.name === '' ? '' : fault}
          value={name}
          onChange={setName}
          code
          isRequired
          autoFocus
          autoComplete="off"
        />
        {namespaces.length > 1 ? (
          <Select
            label={t('common:namespace')}
            choices={namespaces.map(id => ({ id, label: id }))}
            value={namespace}
            onChange={setNamespace}
          />
        ) : (
          namespaces.length === 0 && (
            <TextField label={t('common:namespace')} value={namespace} onChange={setNamespace} code isRequired />
          )
        )}
        <Select
          label={t('kind')}
          choices={KINDS_OF_KEY.map(id => ({ id, label: t(`kindOf.${id}`), note: t(`kindNote.${id}`) }))}
          value={kind}
          onChange={setKind}
        />
        <TextField label={t('contexts')} hint={t('contextsHint')} value={contexts} onChange={setContexts} code />
        {slots.map(slot => (
          <TextField
            key={idAt(slot)}
            label={
              slot.name === made.name || slots.length === 1
                ? t('textIn', { language: languageName(columns.source, i18n.language) })
                : slot.name
            }
            {...(slot.form !== undefined && {
              hint: <PluralNumbers language={columns.source} leaf={leafAt(slot.name.slice(slot.key.length))} />,
            })}
            value={texts[idAt(slot)] ?? ''}
            onChange={text => setTexts(texts => ({ ...texts, [idAt(slot)]: text }))}
            lines={2}
            isRequired
          />
        ))}
        <SubmitActions problem={problem} isPending={pending} onCancel={onClose}>
          {t('add')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}
