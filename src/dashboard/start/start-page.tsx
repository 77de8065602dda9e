/** The first run: from no project to the first translation, and how an app gets it. */
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import { answer, serverAddress } from '../api/answer.ts'
import { type MintedToken, mintToken } from '../api/client.ts'
import { useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { valuesOf, variablesOf } from '../editor/preview/variables.ts'
import { commandLine, curl, i18next, NO_TOKEN } from '../project/snippets.ts'
import { NewProjectForm } from '../projects/new-project.tsx'
import { START_STEPS, type StartStep, Steps } from '../sign-in/entry.tsx'
import { DEFAULT_DAYS } from '../team/queries.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { focusNow } from '../ui/focus.ts'
import { useSubmission, Wrong } from '../ui/form.tsx'
import { projectAddress, setSearch } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Card, Empty, Loaded, Page, Section } from '../ui/page.tsx'
import { Snippet } from '../ui/snippet.tsx'
import {
  LanguageStep,
  ProjectStep,
  type StartPlace,
  type StepProps,
  TextStep,
  TranslationStep,
  useFirstText,
} from './first-texts.tsx'
import styles from './start.module.css'

/** The namespace for the first texts of a new project. */
const NAMESPACE = 'common'

/** Steps that one can return to. */
const STEPS: Partial<Record<StartStep, (props: StepProps) => ReactNode>> = {
  project: ProjectStep,
  language: LanguageStep,
  text: TextStep,
  translation: TranslationStep,
}
const RETURNABLE = START_STEPS.filter(step => step in STEPS)

/** The address determines the step, so a reload and the browser's back button find it again. */
export default function StartPage() {
  const { t } = useTranslation('signIn')
  const { who } = useMember()
  const projects = useProjects()
  const query = new URLSearchParams(useSearch())
  const slug = query.get('project') ?? ''
  const language = query.get('language') ?? ''
  const name = query.get('key') ?? ''
  const toProjects = <ButtonLink to="/projects">{t('common:toProjects')}</ButtonLink>
  if (!mayManage(who)) {
    return (
      <Page title={t('startTitle')} width="form">
        <Empty title={t('startNotYours')} action={toProjects} />
      </Page>
    )
  }
  // The first value that is missing.
  const missing = [slug, language, name, query.has('done')].findIndex(value => !value)
  const reached = RETURNABLE[missing] ?? 'use'
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
        {!slug ? (
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
                  <Empty title={t('common:nothingHere')} action={toProjects}>
                    {t('common:nothingHereWhy')}
                  </Empty>
                )
              const place = { project, language, namespace: NAMESPACE, name }
              const Step = STEPS[step]
              if (!Step) return <UseStep {...place} />
              // Before the project there is only the start of another run.
              return <Step {...place} back={addressOf(START_STEPS[START_STEPS.indexOf(step) - 1]!) ?? '/start'} />
            }}
          </Loaded>
        )}
      </Page>
    </>
  )
}

/** The last step: the lines that fetch the first translation, with this server's address and these names. */
function UseStep(place: StartPlace) {
  const { t } = useTranslation('signIn')
  const [reading, setReading] = useState<MintedToken>()
  const [writing, setWriting] = useState<MintedToken>()
  const { project, language, namespace, name } = place
  const { slug, sourceLanguage, interpolation, defaultFormat } = project
  const { data: text = '' } = useFirstText(place)
  const shared = {
    ...{ base: serverAddress(), project: slug, source: sourceLanguage, language, namespace, key: name, interpolation },
    values: valuesOf(variablesOf(text, undefined, interpolation), {}, language),
    isFlat: defaultFormat === 'i18next-json-flat',
  }
  const reads = { ...shared, token: reading?.key ?? NO_TOKEN }
  const toProject = (
    <ButtonLink look="primary" to={projectAddress(slug)}>
      {t('common:toProject')}
    </ButtonLink>
  )
  return (
    <div className={styles.use}>
      <Notice kind="good" action={toProject}>
        {t('translated')}
      </Notice>
      <Section title={t('inYourApp')}>
        <p className={styles.quiet}>{t('inYourAppWhy')}</p>
        <CreateToken scope="read" project={slug} made={reading} onMade={setReading} />
        <Snippet label="i18next" code={i18next(reads)} />
        <Snippet label="curl" code={curl(reads)} />
      </Section>
      <Section title={t('onYourComputer')}>
        <p className={styles.quiet}>{t('onYourComputerWhy')}</p>
        <CreateToken scope="write" project={slug} made={writing} onMade={setWriting} />
        <Snippet label={t('common:commandLine')} code={commandLine({ ...shared, token: writing?.key ?? NO_TOKEN })} />
      </Section>
    </div>
  )
}

interface TokenProps {
  scope: 'read' | 'write'
  /** The slug of the only project that the token reaches. */
  project: string
  made: MintedToken | undefined
  onMade: (token: MintedToken) => void
}

/** A button until the token exists. The token is limited: an app in a browser reveals it to every visitor. */
function CreateToken({ scope, project, made, onMade }: TokenProps) {
  const { t, i18n } = useTranslation('signIn')
  const client = useQueryClient()
  const { pending, problem, send } = useSubmission()
  const make = () =>
    send(async () => {
      const limits = { projects: [project], expiresInDays: DEFAULT_DAYS }
      onMade(await answer(mintToken({ newToken: { name: `${project} (${scope})`, scope, ...limits } })))
      void client.invalidateQueries({ queryKey: ['tokens'] })
      return t('tokenMade')
    })
  if (made !== undefined) {
    const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long' }).format(new Date(made.expiresAt!))
    return (
      // The focus goes here, not to the next button: a double Enter would leave a token that is displayed only once.
      <div ref={focusNow} tabIndex={-1}>
        <Notice kind="good">
          {t('tokenShownOnce')} {t('tokenLimits', { project, date })}
        </Notice>
      </div>
    )
  }
  return (
    <>
      <Wrong problem={problem} />
      <div>
        <Button icon={<KeyRound aria-hidden />} isPending={pending} onPress={() => void make()}>
          {scope === 'read' ? t('makeReadToken') : t('makeWriteToken')}
        </Button>
      </div>
    </>
  )
}
