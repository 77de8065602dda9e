/** Gives a key another name. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../../api/answer.ts'
import { renameKey } from '../../api/client.ts'
import { useManifest } from '../../api/queries.ts'
import { Dialog, SubmitActions } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { setSearch } from '../../ui/location.ts'
import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useSubmission } from '../../ui/use-submission.ts'
import { useEditor } from '../editor-context.ts'
import { type EditorRow, idOf } from '../model/rows.ts'
import { useMoveDrafts } from '../saving/use-move-drafts.ts'
import { crossing, namesOf } from './crossing.ts'
import { useChanging } from './use-changing.ts'

interface Props {
  row: EditorRow
  rows: readonly EditorRow[]
  /** Gets the id of its row under the new name. */
  onRenamed: (id: string) => void
  onClose: () => void
}

/** Renames a key in all languages by one commit; its drafts follow. */
export default function RenameKey({ row: { namespace, key, source }, rows, onRenamed, onClose }: Props) {
  const { t } = useTranslation('keys')
  const { slug } = useEditor()
  const moveDrafts = useMoveDrafts(slug)
  const change = useChanging()
  const { pending, problem, send } = useSubmission()
  const [name, setName] = useState(key)
  const to = name.trim()
  const isDuplicate = to !== key && rows.some(({ id }) => id === idOf(namespace, to))
  const manifest = useManifest(slug)
  const nests = manifest.data?.defaultFormat !== 'i18next-json-flat'
  const others = rows.filter(row => row.namespace === namespace && row.key !== key)
  const crossed = nests && to !== key && to !== '' ? crossing(namesOf({ key: to, source }), others) : undefined
  const fault = isDuplicate ? t('taken', { key: to }) : crossed ? t(`crosses.${crossed.is}`, { key: crossed.key }) : ''
  const variants = rows.filter(row => row.namespace === namespace && row.key.startsWith(`${key}_`))
  const rename = async () => {
    if (fault !== '' || to === key) return
    const isDone = await send(() =>
      change(
        async () => {
          const renamed = await answer(renameKey({ slug, body: { namespace, from: key, to } }))
          moveDrafts({ namespace, key }, { namespace, key: to })
          // The key of the address was renamed here, so it is not reported as missing.
          setSearch({ key: null, in: null })
          return renamed
        },
        ({ languages }) => t('renamed', { from: key, to, count: languages.length }),
      ),
    )
    if (!isDone) return
    onRenamed(idOf(namespace, to))
    onClose()
  }
  return (
    <Dialog title={t('renameNamed', { key })} isOpen onClose={onClose}>
      <Form onSubmit={() => void rename()}>
        <TextField
          label={t('newName')}
          hint={t('renameHint')}
          error={fault}
          value={name}
          onChange={setName}
          code
          isRequired
          autoFocus
          autoComplete="off"
        />
        {variants.length > 0 && (
          <Notice>{t('variantsStay', { keys: variants.map(({ key }) => key).join(', ') })}</Notice>
        )}
        <SubmitActions
          problem={problem}
          isPending={pending}
          isDisabled={to === key || to === '' || fault !== ''}
          onCancel={onClose}
        >
          {t('rename')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}
