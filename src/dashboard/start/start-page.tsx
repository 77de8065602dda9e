/** The first run: from no project to the first translation, and how an app gets it. */
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { NewProjectForm } from '../projects/new-project.tsx'
import { type StartStep, Steps } from '../sign-in/steps.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { setSearch } from '../ui/location.ts'
import { Card, Page } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { LanguageStep, TextStep, TranslationStep } from './first-texts.tsx'
import styles from './start.module.css'
import { UseStep } from './use-step.tsx'

/** The namespace for the first texts of a new project. */
const NAMESPACE = 'common'

/** The address determines the step, so a reload and the browser's back button find it again. */
export default function StartPage() {
  const { t } = useTranslation('signIn')
  const { who } = useMember()
  const projects = useProjects()
  const query = new URLSearchParams(useSearch())
  const [slug, language, key] = ['project', 'language', 'key'].map(name => query.get(name))
  if (!mayManage(who)) {
    return (
      <Page title={t('startTitle')} narrow>
        <Empty title={t('startNotYours')} action={<ButtonLink to="/projects">{t('common:toProjects')}</ButtonLink>} />
      </Page>
    )
  }
  const step: StartStep = !slug
    ? 'project'
    : !language
      ? 'language'
      : !key
        ? 'text'
        : query.has('done')
          ? 'use'
          : 'translation'
  const titles: Record<string, string> = {
    project: t('projectTitle'),
    language: t('languageTitle'),
    text: t('textTitle'),
    translation: t('translationTitle'),
    use: t('useTitle'),
  }
  return (
    <>
      <div className={styles.bar}>
        <Steps at={step} />
      </div>
      <Page title={titles[step]!} narrow={step !== 'use'}>
        {step === 'project' ? (
          <Card>
            <p className={styles.quiet}>{t('common:projectWhy')}</p>
            <NewProjectForm onMade={project => setSearch({ project: project.slug }, { replace: false })} />
          </Card>
        ) : (
          <Loaded read={projects}>
            {all => {
              const project = all.find(one => one.slug === slug)
              if (!project)
                return (
                  <Empty
                    title={t('common:nothingHere')}
                    action={<ButtonLink to="/projects">{t('common:toProjects')}</ButtonLink>}
                  >
                    {t('common:nothingHereWhy')}
                  </Empty>
                )
              const place = { project, language: language ?? '', namespace: NAMESPACE, name: key ?? '' }
              if (step === 'language') return <LanguageStep project={project} />
              if (step === 'text') return <TextStep {...place} />
              return step === 'translation' ? <TranslationStep {...place} /> : <UseStep {...place} />
            }}
          </Loaded>
        )}
      </Page>
    </>
  )
}
