/** Imports files into the project: a preview first, then one commit. */
import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { useManifest } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Loaded } from '../ui/page.tsx'
import { Spoken } from '../ui/spoken.tsx'
import { ImportPlan } from './import-plan.tsx'
import { IMPORT_LIMITS, ImportTooLarge, type PlacedFile } from './placed-files.ts'
import styles from './project.module.css'
import { ProjectFrame } from './project-frame.tsx'
import { readChosen, readDropped } from './read-dropped.ts'

const MIB = 2 ** 20

/** A place for files and zip archives, then their plan. The address may name where files without a place go. */
export default function ImportPage() {
  const { t } = useTranslation('projects')
  const { slug = '' } = useParams()
  const query = new URLSearchParams(useSearch())
  const [language, namespace] = [query.get('language'), query.get('namespace')]
  const manifest = useManifest(slug)
  // A drop that follows another one, of the same names too, is a new plan.
  const [drop, setDrop] = useState<{ files: PlacedFile[]; times: number }>({ files: [], times: 0 })
  const show = (files: PlacedFile[]) => setDrop(({ times }) => ({ files, times: times + 1 }))
  const [problem, setProblem] = useState('')
  const [reads, setReads] = useState(false)
  const { languages = [], namespaces = [] } = manifest.data ?? {}
  const known = { languages, namespaces: namespace === null ? namespaces : [namespace] }
  const sentenceOf = (error: unknown) => {
    if (!(error instanceof ImportTooLarge)) return t('unreadable')
    const { bytes, file, files, entries } = IMPORT_LIMITS
    return {
      bytes: t('tooMuch', { most: bytes / MIB }),
      file: t('fileTooLarge', { path: error.path, most: file / MIB }),
      files: t('tooManyFiles', { most: files }),
      entries: t('tooManyEntries', { most: entries }),
    }[error.limit]
  }
  const read = async (reading: Promise<PlacedFile[]>) => {
    setProblem('')
    setReads(true)
    try {
      const placed = await reading
      if (placed.length === 0) setProblem(t('noJson'))
      show(placed.map(file => ({ ...file, language: file.language ?? language })))
    } catch (error) {
      setProblem(sentenceOf(error))
    } finally {
      setReads(false)
    }
  }
  const input = useRef<HTMLInputElement>(null)
  return (
    <ProjectFrame slug={slug} title={t('import')} onFiles={entries => void read(readDropped(entries, known))}>
      <Loaded read={manifest}>
        {() => (
          <>
            <div className={styles.drop}>
              <Upload aria-hidden />
              <p>{t('dropHere')}</p>
              <Button onPress={() => input.current?.click()}>{t('chooseFiles')}</Button>
              <input
                ref={input}
                type="file"
                hidden
                multiple
                accept=".json,.zip,application/json,application/zip"
                onChange={({ currentTarget }) => {
                  void read(readChosen([...(currentTarget.files ?? [])], known))
                  // The same file may be chosen again.
                  currentTarget.value = ''
                }}
              />
              <p className="quiet">{t('dropNames')}</p>
            </div>
            {reads && (
              <p className="quiet" role="status">
                {t('reading')}
              </p>
            )}
            {problem !== '' && <Notice kind="bad">{problem}</Notice>}
            {drop.files.length > 0 && (
              <Spoken>
                <ImportPlan key={drop.times} slug={slug} files={drop.files} onDone={() => show([])} />
              </Spoken>
            )}
          </>
        )}
      </Loaded>
    </ProjectFrame>
  )
}
