/** Candidates for the text in hand from machines: each costs a press of a button or key, since it may cost money. */
import { useQuery } from '@tanstack/react-query'
import { Bot } from 'lucide-react'
import { memo, Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { machinesFor, useMachines } from '../../../api/use-machines.ts'
import { announce } from '../../../ui/announce.ts'
import { Button } from '../../../ui/button.tsx'
import { afterFocus } from '../../../ui/focus.ts'
import { Wrong } from '../../../ui/form.tsx'
import { gateWords } from '../../../ui/machine-words.ts'
import { useEditor } from '../../editor-context.ts'
import { textsOf } from '../../model/leaves.ts'
import { hasMark } from '../../model/row-marks.ts'
import { type PanelSubject, Section, useInField } from '../section.tsx'
import { availabilityOf } from './browser-translator.ts'
import { CandidateItem } from './candidate-item.tsx'
import { acceptRequest, dropRequest, onRequest } from './candidates-request.ts'
import styles from './machine.module.css'
import { useCandidates } from './use-candidates.ts'

/** Its words load later than the editor's. Typing does not rerender it. */
export const MachineSection = memo(function MachineSection(subject: PanelSubject) {
  return (
    <Suspense fallback={null}>
      <Machines key={subject.target} {...subject} />
    </Suspense>
  )
})

/** Nothing where no machine translates the text, or where its reader may not write it. */
function Machines(subject: PanelSubject) {
  const { row, target } = subject
  const { t } = useTranslation('machine')
  const { columns, fields, permits, marks } = useEditor()
  const inField = useInField(subject)
  const language = columns.targets[target]!
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
    queryFn: () => availabilityOf(pair),
  })
  const refusal = marks[target]!.refused.get(row.id)
  const isRefused = hasMark('refused', row.id, row.cells[target]!, marks[target])
  const hasBrowser = availability !== 'unavailable'
  const { found, pending, problem, ask } = useCandidates(row, target)
  const own = useRef<HTMLDivElement>(null)
  const isKnown = listed !== undefined
  const askByKey = () => {
    if (!acceptRequest({ id: row.id, language })) return
    const first = own.current?.querySelector('button')
    if (!first) return announce(t('noMachine'))
    first.focus()
    askAll()
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
  const askFor = async (machine: string | undefined) => {
    if (!(await ask(machine))) return
    afterFocus(() => {
      if (!own.current?.contains(document.activeElement)) return
      own.current.querySelector<HTMLElement>(`[data-candidate="${CSS.escape(machine ?? t('thisBrowser'))}"]`)?.focus()
    })
  }
  /** The first machine; the browser too, unless it has to load much first. */
  function askAll(): void {
    if (availability === 'available') void ask(undefined)
    void askFor(machines[0])
  }
  const use = (texts: Readonly<Record<string, string>>) =>
    inField(own => {
      for (const [ending, text] of Object.entries(texts)) fields.get(row.id, language, ending)?.replaceAll(text)
      own.focus()
    })
  return (
    <Section title={t('title')}>
      <div ref={own} className={styles.candidates}>
        <div className={styles.asks}>
          {[...machines, ...(hasBrowser ? [undefined] : [])].map(machine => (
            <Button
              key={machine ?? ''}
              small
              icon={<Bot aria-hidden />}
              isPending={pending(machine)}
              onPress={() => void askFor(machine)}
            >
              {machine === undefined ? t('askBrowser') : t('ask', { by: machine })}
            </Button>
          ))}
        </div>
        {refusal && isRefused && (
          <p className={styles.problem}>
            {t('refusedBy', { by: refusal.machine, reason: gateWords(refusal.faults, t) })}
          </p>
        )}
        <Wrong problem={problem} />
        {found.length > 0 && (
          <ul className={styles.candidates}>
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
