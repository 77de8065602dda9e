/** Files into the project: what they would do is shown first, then done as one commit. */
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
import { readChosen, readDropped, TooMuch } from './dropped.ts'
import { ImportPlan } from './import-plan.tsx'
import { type Dropped, type Placed, placeFiles } from './placed-files.ts'
import styles from './project.module.css'
import { ProjectFrame } from './project-frame.tsx'

/** A place to drop files and zip archives, then their plan. */
export default function ImportPage() {
  const { t } = useTranslation('projects')
  const { slug = '' } = useParams()
  const manifest = useManifest(slug)
  // A drop that follows another one, of the same names too, is a new plan.
  const [drop, setDrop] = useState<{ files: Placed[]; times: number }>({ files: [], times: 0 })
  const show = (files: Placed[]) => setDrop(({ times }) => ({ files, times: times + 1 }))
  const [problem, setProblem] = useState('')
  const take = async (reading: Promise<Dropped[]>) => {
    setProblem('')
    try {
      const placed = placeFiles(await reading, manifest.data ?? { languages: [], namespaces: [] })
      if (placed.length === 0) setProblem(t('noJson'))
      show(placed)
    } catch (error) {
      setProblem(error instanceof TooMuch ? t('tooMuch') : t('unreadable'))
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
              onDrop={({ items }) => void take(readDropped(items))}
            >
              <Upload aria-hidden />
              <Text slot="label">{t('dropHere')}</Text>
              <FileTrigger
                allowsMultiple
                acceptedFileTypes={['.json', '.zip', 'application/json', 'application/zip']}
                onSelect={chosen => chosen && void take(readChosen([...chosen]))}
              >
                <Press className={`${button.button} ${button.plain}`}>{t('chooseFiles')}</Press>
              </FileTrigger>
              <p className="quiet">{t('dropNames')}</p>
            </DropZone>
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
