/** The review queue of a language: the suggestions that wait, the riskiest first. */
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { languageName } from '../i18n/languages.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { Loaded } from '../ui/state.tsx'
import { ReviewQueue } from './review-queue.tsx'
import { useSuggestions } from './review-reads.ts'

/** See the file. */
export default function ReviewPage() {
  const { slug = '', language = '' } = useParams()
  const { t, i18n } = useTranslation('work')
  const read = useSuggestions(slug, language)
  return (
    <ProjectFrame slug={slug} title={t('reviewOf', { language: languageName(language, i18n.language) })}>
      <Loaded read={read} lines={6}>
        {({ rows, isCut }) => (
          <ReviewQueue key={`${slug} ${language}`} slug={slug} language={language} rows={rows} isCut={isCut} />
        )}
      </Loaded>
    </ProjectFrame>
  )
}
