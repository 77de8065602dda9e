/** Candidates for the text in hand from machines: each costs a press of a button or key, since it may cost money. */
import { useQuery } from '@tanstack/react-query'
import { Bot } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../bundle/message.ts'
import { ApiProblem, answer } from '../../api/answer.ts'
import { suggestTranslations } from '../../api/late-client.ts'
import { machinesFor, useMachines } from '../../api/use-machines.ts'
import { announce } from '../../ui/announce.ts'
import { afterFocus } from '../../ui/focus.ts'
import { useSubmission, Wrong } from '../../ui/form.tsx'
import { gateWords, machineProblem } from '../../ui/machine-words.ts'
import { useEditor } from '../editor-context.ts'
import { differencesOf, sentenceOf } from '../field/fault-sentence.ts'
import { faultsOf } from '../field/faults-of.ts'
import { hasMark } from '../model/filter.ts'
import { type LeafTexts, leavesFor, modelText, textsOf } from '../model/leaves.ts'
import { rulesFor } from '../model/rows.ts'
import { ShownText } from '../shown-text.tsx'
import styles from './panel.module.css'
import { acceptRequest, dropRequest, onRequest } from './panel-keys.ts'
import { FormName, IconButton, type PanelSubject, Section, UseButton, useInField } from './section.tsx'

/** Nothing where no machine translates the text, or where its reader may not write it. */
export function MachineSection(subject: PanelSubject) {
  const { row, target, language } = subject
  const { t } = useTranslation('machine')
  const { columns, fields, permits, marks } = useEditor()
  const inField = useInField(subject)
  const sources = Object.values(textsOf(row.source))
  const isOffered =
    permits[target]!.mode !== 'read' &&
    language !== columns.source &&
    sources.length > 0 &&
    sources.every(text => text.trim() !== '')
  const listed = useMachines()
  const machines = isOffered ? machinesFor(listed, language).map(({ name }) => name) : []
  const pair = { sourceLanguage: columns.source, targetLanguage: language }
  const { data: availability = 'unavailable' } = useQuery({
    queryKey: ['browser', pair],
    enabled: machines.length > 0,
    queryFn: () => availabilityOf(pair).catch(() => 'unavailable' as const),
  })
  const refusal = marks[target]!.refused.get(row.id)
  const isRefused = hasMark('refused', row.id, row.cells[target]!, marks[target])
  const { found, pending, problem, ask } = useCandidates(subject)
  const own = useRef<HTMLDivElement>(null)
  const isKnown = listed !== undefined
  const askByKey = () => {
    if (!acceptRequest({ id: row.id, language })) return
    const first = own.current?.querySelector('button')
    if (!first) return announce(t('noMachine'))
    first.focus()
    // The first machine; the browser too, unless it has to load much first.
    if (availability === 'available') void ask(undefined)
    void askFor(machines[0])
  }
  const now = useRef(askByKey)
  now.current = askByKey
  // A request may be older than this section, and than the list of machines.
  useEffect(() => {
    if (!isKnown) return
    now.current()
    dropRequest()
    return onRequest(() => now.current())
  }, [isKnown])
  if (machines.length === 0) return null

  /** The focus goes on to the candidate, unless its user has left the section. */
  async function askFor(machine: string | undefined) {
    if (!(await ask(machine))) return
    afterFocus(() => {
      if (!own.current?.contains(document.activeElement)) return
      own.current.querySelector<HTMLElement>(`[data-candidate="${CSS.escape(machine ?? t('thisBrowser'))}"]`)?.focus()
    })
  }
  const use = (texts: LeafTexts) =>
    inField(own => {
      for (const [ending, text] of Object.entries(texts)) fields.get(row.id, language, ending)?.replaceAll(text)
      own.focus()
    })
  return (
    <Section title={t('title')}>
      <div ref={own} className="stack3">
        <div className="row2">
          {[...machines, ...(availability === 'unavailable' ? [] : [undefined])].map(machine => (
            <IconButton
              key={machine ?? ''}
              look="plain"
              icon={Bot}
              isPending={pending(machine)}
              onPress={() => void askFor(machine)}
            >
              {machine === undefined ? t('askBrowser') : t('ask', { by: machine })}
            </IconButton>
          ))}
        </div>
        {refusal && isRefused && (
          <p className={styles.bad}>{t('refusedBy', { by: refusal.machine, reason: gateWords(refusal.faults, t) })}</p>
        )}
        <Wrong problem={problem} />
        {found.length > 0 && (
          <ul className="stack3">
            {found.map(candidate => (
              <CandidateItem
                key={candidate.by ?? ''}
                candidate={candidate}
                language={language}
                onUse={() => use(candidate.texts)}
              />
            ))}
          </ul>
        )}
      </div>
    </Section>
  )
}

interface TranslatedPair {
  sourceLanguage: string
  targetLanguage: string
}

/** `unavailable` never translates the pair; `downloadable` and `downloading` need minutes and much memory first. */
type TranslatorAvailability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

/** The browser's own (Chrome: https://developer.mozilla.org/docs/Web/API/Translator). No text leaves it. */
interface BrowserTranslator {
  availability: (pair: TranslatedPair) => Promise<TranslatorAvailability>
  create: (pair: TranslatedPair) => Promise<{ translate: (text: string) => Promise<string>; destroy?: () => void }>
}

const translator = (): BrowserTranslator | undefined => (globalThis as { Translator?: BrowserTranslator }).Translator

/** Whether the browser translates the pair; `unavailable` in other browsers. */
const availabilityOf = async (pair: TranslatedPair): Promise<TranslatorAvailability> =>
  (await translator()?.availability(pair)) ?? 'unavailable'

/** Translates texts, one after the other. @throws what the browser throws */
async function translateHere(pair: TranslatedPair, texts: readonly string[]): Promise<string[]> {
  const session = await translator()!.create(pair)
  try {
    const translated: string[] = []
    for (const text of texts) translated.push(await session.translate(text))
    return translated
  } finally {
    session.destroy?.()
  }
}

interface Candidate {
  /** The name of the machine; undefined for the browser. */
  by: string | undefined
  texts: LeafTexts
  faults: readonly Parameters<typeof sentenceOf>[0][]
}

/** Candidates of the server's machines and of the browser. Nothing is asked before `ask` is called. */
function useCandidates({ row: { namespace, key, source }, language }: PanelSubject) {
  const { t, i18n } = useTranslation('machine')
  const { slug, columns } = useEditor()
  const [found, setFound] = useState<readonly Candidate[]>([])
  const asked = useSubmission({ sentence: error => machineProblem(error, t, i18n.language) })
  // The browser may load for minutes.
  const askedHere = useSubmission()
  const of = (machine: string | undefined) => (machine === undefined ? askedHere : asked)
  const askMachine = async (machine: string): Promise<Candidate> => {
    const body = { language, namespace, key, machine }
    const { candidates, refused } = await answer(suggestTranslations({ slug, body }))
    const own = candidates.find(({ by }) => by === machine)
    if (!own) throw new ApiProblem(422, t('refusedBy', { by: machine, reason: gateWords(refused?.faults ?? [], t) }))
    return { by: machine, texts: textsOf(own.message as Message), faults: own.problems.flatMap(differencesOf) }
  }
  const askBrowser = async (): Promise<Candidate> => {
    const leaves = leavesFor(source, undefined, rulesFor(columns, language))
    const pair = { sourceLanguage: columns.source, targetLanguage: language }
    const models = leaves.map(leaf => modelText(source, leaf))
    const translated = await translateHere(pair, models).catch(cause => {
      throw new ApiProblem(422, t('browserFailed'), cause)
    })
    const texts = Object.fromEntries(leaves.map(({ ending }, at) => [ending, translated[at]!]))
    const faults = Object.entries(texts).flatMap(([ending, text]) =>
      faultsOf({ source, text, language, ending }, columns),
    )
    return { by: undefined, texts, faults }
  }
  /** Asks a machine by its name, or with undefined the browser. Its new candidate replaces its old one. */
  const ask = (machine: string | undefined) =>
    of(machine).send(async () => {
      const candidate = await (machine === undefined ? askBrowser() : askMachine(machine))
      setFound(found => [...found.filter(({ by }) => by !== machine), candidate])
    })
  const pending = (machine: string | undefined) => of(machine).pending
  return { found, pending, problem: asked.problem || askedHere.problem, ask }
}

interface ItemProps {
  candidate: Candidate
  language: string
  onUse: () => void
}

/** Its forms, its problems, and the button that fills the fields with it. */
function CandidateItem({ candidate: { by, texts, faults }, language, onUse }: ItemProps) {
  const { t } = useTranslation('machine')
  const { columns, t: inEditor } = useEditor()
  const id = useId()
  const name = by ?? t('thisBrowser')
  const forms = Object.entries(texts)
  return (
    <li className={styles.offer}>
      <span className={styles.by}>
        <bdi>{name}</bdi>
      </span>
      <UseButton aria-label={t('useOf', { by: name })} aria-describedby={id} data-candidate={name} onPress={onUse}>
        {inEditor('use')}
      </UseButton>
      <div id={id} className="stack1">
        {forms.map(([ending, text]) => (
          <p key={ending} className={`${styles.words} ${styles.cut}`}>
            {forms.length > 1 && <FormName ending={ending} />}
            <ShownText text={text} language={language} interpolation={columns.interpolation} />
          </p>
        ))}
        {[...new Set(faults.map(fault => sentenceOf(fault, inEditor)))].map(sentence => (
          <p key={sentence} className={styles.bad} data-sign="problems">
            {sentence}
          </p>
        ))}
      </div>
    </li>
  )
}
