/** Translates the rest of a project by a machine: the choice of texts and machine, and the plan. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type Translating, type TranslationPlan, translateRest } from '../api/late-client.ts'
import { mayIn } from '../api/rights.ts'
import { useMember } from '../api/session.ts'
import { machinesFor, useMachines } from '../api/use-machines.ts'
import { languageName } from '../i18n/languages.ts'
import type { TranslateDialogProps } from '../project/project-page.tsx'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { Form, useSubmission, Wrong } from '../ui/form.tsx'
import { costWords, inMachineWords, listed, machineProblem } from '../ui/machine-words.ts'
import { Loaded } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { jobsKey } from './machine-jobs.tsx'
import styles from './translate.module.css'

const STATES = ['missing', 'empty', 'stale'] as const

/** A dialog. The plan is read again after each choice, which costs nothing. */
export function TranslateDialog({ slug, languages, place, onClose, onStarted }: TranslateDialogProps) {
  const { t, i18n } = useTranslation('machine')
  const client = useQueryClient()
  const { who } = useMember()
  const machines = useMachines() ?? []
  const [machine, setMachine] = useState((place.language ? machinesFor(machines, place.language) : machines)[0]!.name)
  const [chosen, setChosen] = useState<readonly string[]>(place.language ? [place.language] : languages)
  const [is, setIs] = useState<readonly (typeof STATES)[number][]>(STATES)
  const [wanted, setSave] = useState<NonNullable<Translating['save']>>('text')
  const [isAgain, setAgain] = useState(false)
  const { pending, problem, send } = useSubmission({ sentence: error => machineProblem(error, t, i18n.language) })
  const own = machines.filter(({ name }) => name === machine)
  const offered = languages.filter(language => machinesFor(own, language).length > 0)
  const sent = offered.filter(language => chosen.includes(language))
  const mayWrite = sent.every(language => mayIn(who, 'translate', slug, language))
  const save = mayWrite ? wanted : 'suggestion'
  const body: Translating = {
    ...{ machine, languages: sent, is: STATES.filter(state => is.includes(state)), save, again: isAgain },
    namespaces: place.namespace === undefined ? undefined : [place.namespace],
  }
  const isAsked = sent.length > 0 && is.length > 0
  const plan = useQuery({
    queryKey: [...jobsKey(slug), 'plan', body],
    enabled: isAsked,
    queryFn: async ({ signal }) =>
      (await answer(translateRest({ slug, dryRun: 'true', translating: body }, { signal }))) as TranslationPlan,
    staleTime: 0,
  })
  const start = () =>
    void send(async () => {
      await answer(translateRest({ slug, translating: body }))
      await client.invalidateQueries({ queryKey: jobsKey(slug), exact: true })
      onStarted()
      return t('started')
    })
  const counts = new Map(plan.data?.languages.map(({ language, texts }) => [language, texts]))
  const title = place.namespace === undefined ? t('rest') : t('restOf', { name: place.namespace })
  return (
    <Dialog title={title} isOpen onClose={onClose} wide>
      <Form onSubmit={start}>
        <fieldset className={styles.choices}>
          <legend>{t('common:languages')}</legend>
          {offered.map(language => (
            <Checkbox
              key={language}
              isSelected={chosen.includes(language)}
              onChange={on => setChosen(toggled(chosen, language, on))}
            >
              {languageName(language, i18n.language)} <code>{language}</code>{' '}
              {counts.has(language) && sent.length > 1 && (
                <span className="quiet">{t('texts', { count: counts.get(language)! })}</span>
              )}
            </Checkbox>
          ))}
        </fieldset>
        <fieldset className={styles.choices}>
          <legend>{t('which')}</legend>
          {STATES.map(state => (
            <Checkbox key={state} isSelected={is.includes(state)} onChange={on => setIs(toggled(is, state, on))}>
              {t(`is.${state}`)}
            </Checkbox>
          ))}
          <p className="quiet">{t('peopleWin')}</p>
        </fieldset>
        <div className={styles.selects}>
          {machines.length > 1 && (
            <Select
              label={t('machine')}
              choices={machines.map(({ name }) => ({ id: name, label: name }))}
              value={machine}
              onChange={setMachine}
            />
          )}
          <Select
            label={t('saveAs')}
            choices={[
              ...(mayWrite ? [{ id: 'text' as const, label: t('asText') }] : []),
              { id: 'suggestion' as const, label: t('asSuggestion') },
            ]}
            value={save}
            onChange={setSave}
          />
        </div>
        <div className={styles.plan} aria-live="polite">
          {isAsked ? (
            <Loaded read={{ ...plan, error: inMachineWords(plan.error, t, i18n.language) }} lines={1}>
              {plan => <PlanWords plan={plan} />}
            </Loaded>
          ) : (
            <p className="quiet">{t('chooseSome')}</p>
          )}
        </div>
        {(isAgain || plan.data?.skipped.some(({ code }) => code === 'refused')) && (
          <Checkbox isSelected={isAgain} onChange={setAgain}>
            {t('again')}
          </Checkbox>
        )}
        <Wrong problem={problem} />
        <Actions>
          <Button onPress={onClose}>{t('common:cancel')}</Button>
          <Button
            look="primary"
            type="submit"
            isPending={pending}
            isDisabled={!isAsked || plan.data === undefined || plan.data.texts === 0}
          >
            {t('start')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

const toggled = <Choice,>(all: readonly Choice[], one: Choice, on: boolean): Choice[] => [
  ...all.filter(other => other !== one),
  ...(on ? [one] : []),
]

/** One sentence, and what is left out with its reasons. */
function PlanWords({ plan }: { plan: TranslationPlan }) {
  const { t, i18n } = useTranslation('machine')
  const { texts, fromMemory, estimate, unit, skipped, characters } = plan
  const inCharacters = (count: number) => t('characters', { count })
  const skips = skipped.reduce((sum, { count }) => sum + count, 0)
  const cost =
    estimate === null || unit === 'characters'
      ? inCharacters(characters)
      : t('about', { cost: costWords(estimate, unit, i18n.language, inCharacters) })
  const phrases = [
    t('texts', { count: texts }),
    ...(fromMemory > 0 ? [t('fromMemory', { count: fromMemory })] : []),
    ...(texts > fromMemory ? [cost] : []),
    ...(skips > 0 ? [t('skipped', { count: skips })] : []),
  ]
  return (
    <div className="stack4">
      <p>{texts === 0 && skips === 0 ? t('nothingToDo') : listed(phrases, i18n.language)}</p>
      {skips > 0 && (
        <ul>
          {skipped.map(({ code, count, language = '' }) => (
            <li key={`${code} ${language}`}>
              {new Intl.NumberFormat(i18n.language).format(count)}:{' '}
              {t(`skip.${code}`, { language: language && languageName(language, i18n.language) })}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
