/** The dialogs of one key: add it, rename it, delete it. */
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../bundle/message.ts'
import { answer, DotNameProblem } from '../../api/answer.ts'
import { deleteKeyEverywhere, getKey, getLanguage, registerMissing, renameKey } from '../../api/client.ts'
import { isNotFound, useManifest } from '../../api/queries.ts'
import { noneYet } from '../../api/status-keys.ts'
import { languageName } from '../../i18n/languages.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog, SubmitActions } from '../../ui/dialog.tsx'
import { Form, TextField, useSubmission } from '../../ui/form.tsx'
import { go, projectAddress, setSearch } from '../../ui/location.ts'
import { Notice } from '../../ui/notice.tsx'
import { Loaded } from '../../ui/page.tsx'
import { Select } from '../../ui/select.tsx'
import styles from '../dialogs.module.css'
import { useEditor } from '../editor-context.ts'
import { leafAt, textsOf } from '../model/leaves.ts'
import { type EditorRow, idOf, type KeyAddress } from '../model/rows.ts'
import { PluralNumbers } from '../preview/plural-numbers.tsx'
import { useMoveDrafts } from '../saving/use-move-drafts.ts'
import { shownTexts } from '../shown-text.tsx'
import { contextsIn, crossing, formNamed, KINDS_OF_KEY, type NewKey, namesOf, slotsOf } from './key-names.ts'
import { type KeyTask, useChanging } from './key-tasks.ts'

interface Props {
  rows: readonly EditorRow[]
  /** Gets the id of the row that was added or renamed. */
  onDone: (id?: string) => void
  onClose: () => void
}

export default function KeyDialog({ work, ...shared }: Props & { work: KeyTask }) {
  if (work.is === 'add') return <NewKeyDialog {...shared} />
  const Task = work.is === 'rename' ? RenameKey : DeleteKey
  return <Task {...shared} row={work.row} />
}

const NameField = (props: ComponentProps<typeof TextField>) => (
  <TextField {...props} code isRequired autoFocus autoComplete="off" />
)

/** @returns why names would break the nesting of their file; '' for a good reason to have them */
function useCrossing() {
  const { t } = useTranslation('keys')
  const nests = useManifest(useEditor().slug).data?.defaultFormat !== 'i18next-json-flat'
  return (names: readonly string[], present: readonly EditorRow[]) => {
    const crossed = nests && crossing(names, present)
    return crossed ? t(`crosses.${crossed.is}`, { key: crossed.key }) : ''
  }
}

/** Adds a key with its plural forms and variants by context, in one commit that overwrites nothing. */
function NewKeyDialog({ rows, onDone, onClose }: Props) {
  const { t, i18n } = useTranslation('keys')
  const { slug, columns, namespaces, namespace: shown } = useEditor()
  const change = useChanging()
  const crossingOf = useCrossing()
  const { pending, problem, send } = useSubmission()
  const [namespace, setNamespace] = useState(shown ?? namespaces[0] ?? 'common')
  const [typedName, setName] = useState('')
  const [kind, setKind] = useState<NewKey['kind']>('text')
  const [contexts, setContexts] = useState('')
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const name = typedName.trim()
  const made = { name, kind, contexts: contextsIn(contexts) }
  const slots = slotsOf(made, columns.source)
  const present = rows.filter(row => row.namespace === namespace)
  const faultOfName = () => {
    const duplicate = slots.find(({ key }) => present.some(row => row.key === key))?.key
    if (duplicate !== undefined) return t('taken', { key: duplicate })
    const other = formNamed(made)
    if (other !== undefined) return t('isForm', { key: other })
    const names = slots.map(({ name }) => name)
    return crossingOf(names, present)
  }
  const fault = name === '' ? '' : faultOfName()
  // A text is known by its place, so that it stays while the name is typed.
  const idAt = ({ context, form = '' }: { context: string; form?: string }) => `${context} ${form}`
  const add = async () => {
    if (fault !== '') return
    const resource = Object.fromEntries(slots.map(slot => [slot.name, texts[idAt(slot)] ?? '']))
    const register = async () => {
      await answer(registerMissing({ slug, language: columns.source, $namespace: namespace, resource }))
      return {}
    }
    if (!(await send(() => change(register, () => t('added', { key: name }))))) return
    onClose()
    if (shown === undefined || shown === namespace) onDone(idOf(namespace, name))
    else go(projectAddress(slug, columns.targets[0]!, namespace, name))
  }
  return (
    <Dialog title={t('add')} isOpen onClose={onClose}>
      <Form onSubmit={() => void add()}>
        <NameField label={t('common:key')} hint={t('nameHint')} error={fault} value={typedName} onChange={setName} />
        {namespaces.length > 1 && (
          <Select
            label={t('common:namespace')}
            choices={namespaces.map(id => ({ id, label: id }))}
            value={namespace}
            onChange={setNamespace}
          />
        )}
        {namespaces.length === 0 && (
          <TextField label={t('common:namespace')} value={namespace} onChange={setNamespace} code isRequired />
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
              slot.name === name || slots.length === 1
                ? t('textIn', { language: languageName(columns.source, i18n.language) })
                : slot.name
            }
            hint={
              slot.form && <PluralNumbers language={columns.source} leaf={leafAt(slot.name.slice(slot.key.length))} />
            }
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

/** Renames a key in all languages by one commit; its drafts follow. */
function RenameKey({ row: { namespace, key, source }, rows, onDone, onClose }: Props & { row: EditorRow }) {
  const { t } = useTranslation('keys')
  const { slug } = useEditor()
  const moveDrafts = useMoveDrafts(slug)
  const change = useChanging()
  const crossingOf = useCrossing()
  const { pending, problem, send } = useSubmission()
  const [name, setName] = useState(key)
  const to = name.trim()
  const others = rows.filter(row => row.namespace === namespace && row.key !== key)
  const isSame = to === key || to === ''
  const isDuplicate = others.some(row => row.key === to)
  const crossed = isSame ? '' : crossingOf(namesOf({ key: to, source }), others)
  const fault = isDuplicate ? t('taken', { key: to }) : crossed
  const variants = others.filter(row => row.key.startsWith(`${key}_`))
  const write = async () => {
    const renamed = await answer(renameKey({ slug, body: { namespace, from: key, to } }))
    moveDrafts({ namespace, key }, { namespace, key: to })
    // The key of the address was renamed here, so it is not reported as missing.
    setSearch({ key: null, in: null })
    return renamed
  }
  const rename = async () => {
    if (fault !== '' || to === key) return
    const said = ({ languages }: { languages: readonly string[] }) =>
      t('renamed', { from: key, to, count: languages.length })
    if (!(await send(() => change(write, said)))) return
    onDone(idOf(namespace, to))
    onClose()
  }
  return (
    <Dialog title={t('renameNamed', { key })} isOpen onClose={onClose}>
      <Form onSubmit={() => void rename()}>
        <NameField label={t('newName')} hint={t('renameHint')} error={fault} value={name} onChange={setName} />
        {variants.length > 0 && (
          <Notice>{t('variantsStay', { keys: variants.map(({ key }) => key).join(', ') })}</Notice>
        )}
        <SubmitActions problem={problem} isPending={pending} isDisabled={isSame || fault !== ''} onCancel={onClose}>
          {t('rename')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}

/** Maximum number of languages in the preview of a deletion. */
const MOST_ASKED = 30

async function messageOf({ namespace, key, ...where }: KeyAddress, signal: AbortSignal): Promise<Message | undefined> {
  try {
    return (await answer(getKey({ ...where, $namespace: namespace, key }, { signal }))).message as Message
  } catch (error) {
    if (isNotFound(error)) return undefined
    // A browser cannot request a key of dots alone, so its namespace is read.
    if (!(error instanceof DotNameProblem)) throw error
    const read = answer(getLanguage({ ...where, $namespace: namespace }, { signal }))
    const keys = await read.then(({ keys }) => keys, noneYet)
    return keys.find(one => one.key === key)?.message as Message | undefined
  }
}

/** Deletes a key in all languages by one commit, after a preview. */
function DeleteKey({ row: { namespace, key }, onDone, onClose }: Props & { row: EditorRow }) {
  const { t, i18n } = useTranslation('keys')
  const editor = useEditor()
  const { slug, languages } = editor
  const change = useChanging()
  const asked = languages.slice(0, MOST_ASKED)
  const going = useQuery({
    queryKey: ['project', slug, 'key', namespace, key],
    queryFn: ({ signal }) => Promise.all(asked.map(language => messageOf({ slug, language, namespace, key }, signal))),
    staleTime: 0,
    gcTime: 0,
  })
  const write = async () => {
    const deleted = await answer(deleteKeyEverywhere({ slug, body: { namespace, key } }))
    // The key of the address was deleted here, so it is not reported as missing.
    setSearch({ key: null, in: null })
    return deleted
  }
  const remove = async () => {
    await change(write, ({ languages }) => t('deleted', { key, count: languages.length }))
    onDone()
  }
  return (
    <Confirm title={t('deleteNamed', { key })} doIt={t('common:delete')} isOpen onClose={onClose} onConfirm={remove}>
      <p>{t('deleteWhat')}</p>
      <Loaded read={going} lines={Math.min(asked.length, 5)}>
        {messages => (
          <ul className={`stack2 ${styles.going}`}>
            {asked.map((language, at) => {
              const message = messages[at]
              if (message === undefined) return null
              return (
                <li key={language} className="stack1">
                  <span className="quiet">
                    {languageName(language, i18n.language)} ({language})
                  </span>
                  {shownTexts(textsOf(message), language, editor)}
                </li>
              )
            })}
            {languages.length > asked.length && (
              <li>{t('moreLanguages', { count: languages.length - asked.length })}</li>
            )}
          </ul>
        )}
      </Loaded>
    </Confirm>
  )
}
