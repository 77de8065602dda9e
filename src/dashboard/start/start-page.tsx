/** The first run: from no project to the first translation, and how an app gets it. */
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { NewProjectForm } from '../projects/new-project.tsx'
import { START_STEPS, type StartStep, Steps } from '../sign-in/steps.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { setSearch } from '../ui/location.ts'
import { Card, Page } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { LanguageStep, TextStep, TranslationStep } from './first-texts.tsx'
import { ProjectAgain } from './project-again.tsx'
import styles from './start.module.css'
import { UseStep } from './use-step.tsx'

/** The namespace for the first texts of a new project. */
const NAMESPACE = 'common'

/** Steps that one can return to. */
const RETURNABLE: readonly StartStep[] = ['project', 'language', 'text', 'translation']

/** The address determines the step, so a reload and the browser's back button find it again. */
export default function StartPage() {
  const { t } = useTranslation('signIn')
  const { who } = useMember()
  const projects = useProjects()
  const query = new URLSearchParams(useSearch())
  const [slug, language, key] = ['project', 'language', 'key'].map(name => query.get(name))
  if (!mayManage(who)) {
    return (
      <Page title={t('startTitle')} width="form">
        <Empty title={t('startNotYours')} action={<ButtonLink to="/projects">{t('common:toProjects')}</ButtonLink>} />
      </Page>
    )
  }
  const reached: StartStep = !slug
    ? 'project'
    : !language
      ? 'language'
      : !key
        ? 'text'
        : query.has('done')
          ? 'use'
          : 'translation'
  const asked = RETURNABLE.find(step => step === query.get('step'))
  const step = asked && START_STEPS.indexOf(asked) < START_STEPS.indexOf(reached) ? asked : reached
  /** The same values, at another step. */
  const addressOf = (to: StartStep) => {
    if (!RETURNABLE.includes(to) && to !== reached) return undefined
    const other = new URLSearchParams(query)
    if (to === reached) other.delete('step')
    else other.set('step', to)
    return `/start?${other}`
  }
  const titles: Record<string, string> = {
    project: slug ? t('stepProject') : t('projectTitle'),
    language: t('languageTitle'),
    text: t('textTitle'),
    translation: t('translationTitle'),
    use: t('useTitle'),
  }
  return (
    <>
      <div className={styles.bar}>
        <Steps at={step} reached={reached} addressOf={addressOf} />
      </div>
      <Page title={titles[step]!} width={step === 'use' ? undefined : 'form'}>
        {step === 'project' && !slug ? (
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
              const back = addressOf(START_STEPS[START_STEPS.indexOf(step) - 1]!)!
              if (step === 'project') return <ProjectAgain project={project} />
              if (step === 'language') return <LanguageStep {...place} back={back} />
              if (step === 'text') return <TextStep {...place} back={back} />
              return step === 'translation' ? <TranslationStep {...place} back={back} /> : <UseStep {...place} />
            }}
          </Loaded>
        )}
      </Page>
    </>
  )
}
