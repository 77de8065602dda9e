/** Questions at a terminal. Without a terminal each is an error with the flag to give. */
import { Problem, usage } from '../problem.ts'
import type { Choice, Terminal } from './prompts.ts'

/** Each waits for its answer. `instead` names the flag or variable that answers without a terminal. */
export interface Ask {
  confirm(question: string, instead: string): Promise<boolean>
  select<T extends string>(question: string, choices: Choice<T>[], instead: string): Promise<T>
  text(
    question: string,
    instead: string,
    options?: { initial?: string; check?(value: string): string | undefined },
  ): Promise<string>
  /** A text that is not displayed. */
  secret(question: string, instead: string): Promise<string>
}

/**
 * Refuses a later question early, before any work or request.
 * @throws Problem (exit 2) with the flags that answer
 */
export async function needAnswer(
  { ask, terminal }: { ask: Ask; terminal: { interactive: boolean } },
  question: string,
  { dryRun = false, yes = false }: { dryRun?: boolean; yes?: boolean },
): Promise<void> {
  if (!dryRun && !yes && !terminal.interactive) await ask.confirm(question, '--yes, or --dry-run to look')
}

/** @param terminal undefined if questions are not possible */
export function makeAsk(terminal: () => Terminal | undefined): Ask {
  type Prompts = typeof import('./prompts.ts')
  const ask = async <T extends string | boolean>(
    question: string,
    instead: string,
    put: (prompts: Prompts, open: Terminal) => Promise<T | undefined>,
  ) => {
    const open = terminal()
    if (open === undefined) {
      throw usage(`This needs an answer, and there is no terminal to ask at: ${question}`, { hint: `Give ${instead}.` })
    }
    const answer = await put(await import('./prompts.ts'), open)
    if (answer === undefined) throw new Problem('Cancelled.')
    return answer
  }
  return {
    confirm: (question, instead) =>
      ask(question, instead, ({ choose }, open) => choose(question, YES_OR_NO, open, 1, ['y', 'n'])),
    select: (question, choices, instead) =>
      ask(question, instead, ({ choose }, open) => choose(question, choices, open)),
    text: (question, instead, { initial = '', check = () => undefined } = {}) =>
      ask(question, instead, ({ type }, open) => type(question, { initial, check }, open)),
    secret: (question, instead) =>
      ask(question, instead, ({ type }, open) => type(question, { isSecret: true, check: () => undefined }, open)),
  }
}

const YES_OR_NO: Choice<boolean>[] = [
  { value: true, label: 'Yes' },
  { value: false, label: 'No' },
]
