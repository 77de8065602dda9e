/** Candidates for the text in hand, from machines of the server and from the browser. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../../bundle/message.ts'
import { ApiProblem, answer } from '../../../api/answer.ts'
import { suggestTranslations } from '../../../api/late-client.ts'
import { gateWords, machineProblem } from '../../../ui/machine-words.ts'
import { useSubmission } from '../../../ui/use-submission.ts'
import { useEditor } from '../../editor-context.ts'
import { differencesOf, type sentenceOf } from '../../field/fault-sentence.ts'
import { faultsOf } from '../../field/faults-of.ts'
import { type LeafTexts, leavesFor, modelText, textsOf } from '../../model/leaves.ts'
import { type EditorRow, rulesFor } from '../../model/rows.ts'
import { translateHere } from './browser-translator.ts'

/** A possible translation of the text in hand. */
export interface Candidate {
  /** The name of the machine; undefined for the browser. */
  by: string | undefined
  texts: LeafTexts
  faults: readonly Parameters<typeof sentenceOf>[0][]
}

/** Nothing is asked before `ask` is called: a request may cost money. */
export function useCandidates(row: EditorRow, target: number) {
  const { t, i18n } = useTranslation('machine')
  const { slug, columns } = useEditor()
  const [found, setFound] = useState<readonly Candidate[]>([])
  const asked = useSubmission({ sentence: error => machineProblem(error, t, i18n.language) })
  // The browser may load for minutes.
  const askedHere = useSubmission()
  const { namespace, key, source } = row
  const language = columns.targets[target]!
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
    const faults = leaves.flatMap(({ ending }, at) =>
      faultsOf({ source, text: translated[at]!, language, ending }, columns),
    )
    const texts = Object.fromEntries(leaves.map(({ ending }, at) => [ending, translated[at]!]))
    return { by: undefined, texts, faults }
  }
  /** Asks a machine by its name, or with undefined the browser. Its new candidate replaces its old one. */
  const ask = (machine: string | undefined) =>
    (machine === undefined ? askedHere : asked).send(async () => {
      const candidate = await (machine === undefined ? askBrowser() : askMachine(machine))
      setFound(found => [...found.filter(({ by }) => by !== machine), candidate])
    })
  return {
    found,
    pending: (machine: string | undefined) => (machine === undefined ? askedHere : asked).pending,
    problem: asked.problem || askedHere.problem,
    ask,
  }
}
