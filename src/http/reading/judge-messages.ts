/** Asks the gate and the checks about possible translations of a message. */
import type { Message } from '../../bundle/message.ts'
import type { JudgedCandidate } from '../../project/judge-candidates.ts'
import { textRulesIn } from '../../project/text-rules.ts'
import type { Snapshot } from '../../store/store.ts'
import { LARGE } from './status-cache.ts'
import type { MachineReading } from './texts-for-machine.ts'

/** What they translate. */
interface JudgedText {
  language: string
  source: Message
  /** Maximum of characters. */
  max: number | undefined
}

/** In the order of the messages. */
export function judgeMessages(
  { project, pinned, left }: MachineReading,
  { language, source, max }: JudgedText,
  messages: readonly Message[],
): Promise<JudgedCandidate[]> {
  const { sourceLanguage } = project
  const [one, all] = [source, messages].map(value => Buffer.from(JSON.stringify(value)))
  const task = (now: Snapshot) => ({
    ...{ source: one!, candidates: all!, max, sourceLanguage, language },
    rules: textRulesIn(now, project),
  })
  return pinned.compute('judgeCandidates', task, { most: LARGE, left })
}
