/** What is wrong with possible translations of a message. */
import { problemsOf } from '../bundle/checks/problems-of.ts'
import { gateFaults, gateWarnings } from '../bundle/gate/gate-faults.ts'
import type { GateFault } from '../bundle/gate/gate-sentence.ts'
import { type Message, partsOf } from '../bundle/message.ts'
import { factsOf, lackedNames, type TextProblem, type TextRules } from '../bundle/status.ts'
import { rulesOfBoth } from './text-rules.ts'

/** Possible translations of one message. */
interface JudgeCandidatesTask {
  /** The source message as JSON, and a list of messages: bytes count as work. */
  source: Uint8Array
  candidates: Uint8Array
  /** Maximum of characters by the note of the key. */
  max: number | undefined
  sourceLanguage: string
  language: string
  rules: TextRules
}

/** A possible translation as the status would show it, and the faults for which the gate refuses it. */
export interface JudgedCandidate {
  problems: TextProblem[]
  /** Forms that it lacks. */
  forms: string[]
  faults: GateFault[]
  /** What the status would warn of, in the same words. */
  warnings: GateFault[]
}

export function judgeCandidates(task: JudgeCandidatesTask): JudgedCandidate[] {
  const { max, sourceLanguage, language } = task
  const [source, candidates] = [task.source, task.candidates].map(bytes =>
    JSON.parse(Buffer.from(bytes).toString('utf8')),
  )
  const rules = rulesOfBoth(sourceLanguage, language, task.rules)
  const due = factsOf(partsOf(source), rules.interpolation)
  return (candidates as Message[]).map(message => {
    const has = factsOf(partsOf(message), rules.interpolation)
    return {
      problems: problemsOf(due, has, rules, max),
      forms: lackedNames(due.flags, has.flags, rules),
      faults: gateFaults(source, message, rules, max),
      warnings: gateWarnings(source, message, rules, max),
    }
  })
}
