/** Imports files into the project: a preview first, then one commit. */
import type { TFunction } from 'i18next'
import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { useManifest } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Spoken } from '../ui/spoken.tsx'
import { Loaded } from '../ui/state.tsx'
import { ImportPlan } from './import-plan.tsx'
import type { PlacedFile, ProjectNames } from './placed-files.ts'
import styles from './project.module.css'
import { ProjectFrame } from './project-frame.tsx'
import { readChosen, readDropped } from './read-dropped.ts'
import { ImportTooLarge, MOST_BYTES, MOST_ENTRIES, MOST_FILE_BYTES, MOST_FILES } from './read-limits.ts'

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
  const known: ProjectNames = {
    languages: manifest.data?.languages ?? [],
    namespaces: namespace === null ? (manifest.data?.namespaces ?? []) : [namespace],
  }
  const read = async (reading: Promise<PlacedFile[]>) => {
    setProblem('')
    setReads(true)
    try {
      const placed = await reading
      if (placed.length === 0) setProblem(t('noJson'))
      show(placed.map(file => ({ ...file, language: file.language ?? language })))
    } catch (error) {
      setProblem(error instanceof ImportTooLarge ? passed(error, t) : t('unreadable'))
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

const MIB = 2 ** 20

/** The sentence of a bound. */
function passed({ bound, path }: ImportTooLarge, t: TFunction<'projects'>): string {
  if (bound === 'file') return t('fileTooLarge', { path, most: MOST_FILE_BYTES / MIB })
  if (bound === 'bytes') return t('tooMuch', { most: MOST_BYTES / MIB })
  if (bound === 'files') return t('tooManyFiles', { most: MOST_FILES })
  return t('tooManyEntries', { most: MOST_ENTRIES })
}
