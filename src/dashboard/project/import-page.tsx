/** Imports files into the project: a preview first, then one commit. */

import type { TFunction } from 'i18next'
import { Upload } from 'lucide-react'
import { useState } from 'react'
import { DropZone, FileTrigger, Button as Press, Text } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { useManifest } from '../api/queries.ts'
import button from '../ui/button.module.css'
import { Notice } from '../ui/notice.tsx'
import { Spoken } from '../ui/spoken.tsx'
import { Loaded } from '../ui/state.tsx'
import { ImportPlan } from './import-plan.tsx'
import type { PlacedFile } from './placed-files.ts'
import styles from './project.module.css'
import { ProjectFrame } from './project-frame.tsx'
import { readChosen, readDropped } from './read-dropped.ts'
import { ImportTooLarge, MOST_BYTES, MOST_ENTRIES, MOST_FILE_BYTES, MOST_FILES } from './read-limits.ts'

/** A place to drop files and zip archives, then their plan. */
export default function ImportPage() {
  const { t, i18n } = useTranslation('projects')
  const { slug = '' } = useParams()
  const manifest = useManifest(slug)
  // A drop that follows another one, of the same names too, is a new plan.
  const [drop, setDrop] = useState<{ files: PlacedFile[]; times: number }>({ files: [], times: 0 })
  const show = (files: PlacedFile[]) => setDrop(({ times }) => ({ files, times: times + 1 }))
  const [problem, setProblem] = useState('')
  const [reads, setReads] = useState(false)
  const known = manifest.data ?? { languages: [], namespaces: [] }
  const read = async (reading: Promise<PlacedFile[]>) => {
    setProblem('')
    setReads(true)
    try {
      const placed = await reading
      if (placed.length === 0) setProblem(t('noJson'))
      show(placed)
    } catch (error) {
      setProblem(error instanceof ImportTooLarge ? passed(error, t, i18n.language) : t('unreadable'))
    } finally {
      setReads(false)
    }
  }
  return (
    <ProjectFrame slug={slug} title={t('import')}>
      <Loaded read={manifest}>
        {() => (
          <Spoken>
            <DropZone
              aria-label={t('dropHere')}
              className={styles.drop!}
              onDrop={({ items }) => void read(readDropped(items, known))}
            >
              <Upload aria-hidden />
              <Text slot="label">{t('dropHere')}</Text>
              <FileTrigger
                allowsMultiple
                acceptedFileTypes={['.json', '.zip', 'application/json', 'application/zip']}
                onSelect={chosen => chosen && void read(readChosen([...chosen], known))}
              >
                <Press className={`${button.button} ${button.plain}`}>{t('chooseFiles')}</Press>
              </FileTrigger>
              <p className="quiet">{t('dropNames')}</p>
            </DropZone>
            {reads && (
              <p className="quiet" role="status">
                {t('reading')}
              </p>
            )}
            {problem !== '' && <Notice kind="bad">{problem}</Notice>}
            {drop.files.length > 0 && (
              <ImportPlan key={drop.times} slug={slug} files={drop.files} onDone={() => show([])} />
            )}
          </Spoken>
        )}
      </Loaded>
    </ProjectFrame>
  )
}

const MIB = 2 ** 20

/** The sentence of a bound. */
function passed({ bound, path }: ImportTooLarge, t: TFunction<'projects'>, reader: string): string {
  const number = new Intl.NumberFormat(reader)
  if (bound === 'file') return t('fileTooLarge', { path, most: number.format(MOST_FILE_BYTES / MIB) })
  if (bound === 'bytes') return t('tooMuch', { most: number.format(MOST_BYTES / MIB) })
  if (bound === 'files') return t('tooManyFiles', { most: number.format(MOST_FILES) })
  return t('tooManyEntries', { most: number.format(MOST_ENTRIES) })
}
