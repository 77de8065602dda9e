/** Import and export of a glossary as CSV and TBX. */
import { Download, Ellipsis, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { serverAddress } from '../api/server-address.ts'
import { Menu } from '../ui/menu.tsx'
import { Trigger } from '../ui/trigger.tsx'
import { ImportTerms } from './import-terms.tsx'

/** A menu. @param slug undefined for the organization's glossary @param mayEdit whether it imports, too */
export function GlossaryFiles({ slug, mayEdit }: { slug: string | undefined; mayEdit: boolean }) {
  const { t } = useTranslation('glossary')
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const path = slug === undefined ? '/api/glossary' : `/api/projects/${encodeURIComponent(slug)}/glossary`
  const save = (format: 'csv' | 'tbx') => () => {
    // The answer is an attachment, so the dashboard stays open.
    Object.assign(document.createElement('a'), { href: `${serverAddress()}${path}.${format}`, download: '' }).click()
  }
  const imports = {
    id: 'import',
    label: t('importFile'),
    icon: <Upload aria-hidden />,
    onAction: () => input.current!.click(),
  }
  return (
    <>
      <Menu
        label={t('files')}
        button={<Trigger icon={<Ellipsis aria-hidden />}>{t('files')}</Trigger>}
        rows={[
          ...(mayEdit ? [imports] : []),
          { id: 'csv', label: t('exportAs', { format: 'CSV' }), icon: <Download aria-hidden />, onAction: save('csv') },
          { id: 'tbx', label: t('exportAs', { format: 'TBX' }), icon: <Download aria-hidden />, onAction: save('tbx') },
        ]}
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
