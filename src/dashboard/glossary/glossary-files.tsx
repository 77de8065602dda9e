/** Import and export of a glossary as CSV and TBX. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Ellipsis, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, response, serverAddress } from '../api/answer.ts'
import {
  importGlossaryCsv,
  importGlossaryTbx,
  importProjectGlossaryCsv,
  importProjectGlossaryTbx,
} from '../api/late-client.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { useSubmission, Wrong } from '../ui/form.tsx'
import { Menu, Trigger } from '../ui/menu.tsx'
import { Loaded } from '../ui/page.tsx'
import { glossaryQuery } from './glossary-reads.ts'

/** A menu. @param slug undefined for the organization's glossary @param mayEdit whether it imports, too */
export function GlossaryFiles({ slug, mayEdit }: { slug: string | undefined; mayEdit: boolean }) {
  const { t } = useTranslation('glossary')
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const path = slug === undefined ? '/api/glossary' : `/api/projects/${encodeURIComponent(slug)}/glossary`
  const exports = (['csv', 'tbx'] as const).map(format => ({
    id: format,
    label: t('exportAs', { format: format.toUpperCase() }),
    icon: <Download aria-hidden />,
    onAction: () => {
      // The answer is an attachment, so the dashboard stays open.
      Object.assign(document.createElement('a'), { href: `${serverAddress()}${path}.${format}`, download: '' }).click()
    },
  }))
  const open = () => input.current!.click()
  const imports = { id: 'import', label: t('importFile'), icon: <Upload aria-hidden />, onAction: open }
  return (
    <>
      <Menu
        label={t('files')}
        button={<Trigger icon={<Ellipsis aria-hidden />}>{t('files')}</Trigger>}
        rows={mayEdit ? [imports, ...exports] : exports}
      />
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.tsv,.tbx,.xml"
        onChange={({ currentTarget }) => {
          setFile(currentTarget.files?.[0])
          // The same file may be chosen again.
          currentTarget.value = ''
        }}
      />
      {file && <ImportTerms slug={slug} file={file} onClose={() => setFile(undefined)} />}
    </>
  )
}

/** Shows first what would change. The write holds only for the glossary that the plan was computed for. */
function ImportTerms({ slug, file, onClose }: { slug: string | undefined; file: File; onClose: () => void }) {
  const { t } = useTranslation('glossary')
  const client = useQueryClient()
  /** Whether terms that the file lacks are removed. */
  const [isWhole, setIsWhole] = useState(false)
  const { pending, problem, send } = useSubmission()
  const sendFile = (options: { dryRun?: 'true'; ifMatch?: string }) => {
    const isTbx = /\.(tbx|xml)$/i.test(file.name)
    // The bytes as they are: reading a text would replace what is not UTF-8.
    const body = file as unknown as string
    const given = { body, ...options, ...(!isWhole && { merge: 'true' as const }) }
    const opts = { headers: { 'content-type': isTbx ? 'application/x-tbx+xml' : 'text/csv' } }
    if (slug === undefined) return response((isTbx ? importGlossaryTbx : importGlossaryCsv)(given, opts))
    return response((isTbx ? importProjectGlossaryTbx : importProjectGlossaryCsv)({ slug, ...given }, opts))
  }
  const plan = useQuery({
    queryKey: ['terms-plan', slug, file.name, file.size, file.lastModified, isWhole],
    queryFn: () => sendFile({ dryRun: 'true' }),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })
  const write = () =>
    send(async () => {
      try {
        await sendFile({ ifMatch: plan.data!.headers.get('etag')! })
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 412) void plan.refetch()
        throw error
      }
      await client.invalidateQueries({ queryKey: glossaryQuery(slug).queryKey, exact: true })
      onClose()
      return t('imported', { file: file.name })
    })
  return (
    <Dialog title={t('importOne', { file: file.name })} isOpen onClose={onClose}>
      <Loaded read={plan} lines={2}>
        {({ data: { added, updated, removed } }) => (
          <p>
            {t('planAdded', { count: added })} · {t('planUpdated', { count: updated })} ·{' '}
            {t('planRemoved', { count: removed })}
          </p>
        )}
      </Loaded>
      <Checkbox isSelected={isWhole} onChange={setIsWhole}>
        {t('importWhole')}
      </Checkbox>
      <Wrong problem={problem} />
      <Actions>
        <Button onPress={onClose}>{t('common:cancel')}</Button>
        <Button look="primary" isPending={pending} isDisabled={!plan.data} onPress={() => void write()}>
          {t('common:import')}
        </Button>
      </Actions>
    </Dialog>
  )
}
