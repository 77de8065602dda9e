/** Questions to a person at a terminal. Without one each is an error that names what to give instead. */
import { Problem, usage } from '../problem.ts'

/** One of the answers to choose from. */
export interface Choice<T> {
  value: T
  label: string
  hint?: string
}

/** Each waits for its answer; `instead` names the flag or variable that answers without a terminal. */
export interface Ask {
  confirm(question: string, instead: string): Promise<boolean>
  select<T extends string>(question: string, choices: Choice<T>[], instead: string): Promise<T>
  text(
    question: string,
    instead: string,
    options?: { initial?: string; check?(value: string): string | undefined },
  ): Promise<string>
  /** A text that is not shown. */
  secret(question: string, instead: string): Promise<string>
}

/**
 * Refuses early what will have to be asked where nobody can be: before any work, and before the server is.
 * @throws Problem (exit 2) naming the flags that answer
 */
export async function needAnswer(
  { ask, terminal }: { ask: Ask; terminal: { interactive: boolean } },
  question: string,
  { dryRun = false, yes = false }: { dryRun?: boolean; yes?: boolean },
): Promise<void> {
  if (!dryRun && !yes && !terminal.interactive) await ask.confirm(question, '--yes, or --dry-run to look')
}

/** The streams of a terminal; undefined where nobody can be asked. */
export type Streams = { input: NodeJS.ReadStream; output: NodeJS.WriteStream; signal: AbortSignal } | undefined

/** See the top of the file. */
export function makeAsk(streams: () => Streams): Ask {
  const prompts = async (question: string, instead: string) => {
    const open = streams()
    if (open === undefined) {
      throw usage(`This needs an answer, and there is no terminal to ask at: ${question}`, { hint: `Give ${instead}.` })
    }
    return { ...(await import('./prompts.ts')), open }
  }
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (typeof answer === 'symbol') throw new Problem('Cancelled.')
    return answer as Exclude<T, symbol>
  }
  return {
    async confirm(question, instead) {
      const { confirm, open } = await prompts(question, instead)
      return answered(await confirm({ message: question, initialValue: false, ...open }))
    },
    async select(question, choices, instead) {
      const { select, open } = await prompts(question, instead)
      // biome-ignore lint/suspicious/noExplicitAny: the library's type of an option depends on each value's
      return answered(await select({ message: question, options: choices as any, ...open })) as never
    },
    async text(question, instead, { initial, check } = {}) {
      const { text, open } = await prompts(question, instead)
      const validate = (value = '') => (value.trim() === '' ? 'Something is needed here.' : check?.(value.trim()))
      const answer = answered(
        await text({ message: question, ...(initial !== undefined && { initialValue: initial }), validate, ...open }),
      )
      return answer.trim()
    },
    async secret(question, instead) {
      const { password, open } = await prompts(question, instead)
      const validate = (value = '') => (value.trim() === '' ? 'Something is needed here.' : undefined)
      return answered(await password({ message: question, validate, ...open })).trim()
    },
  }
}
