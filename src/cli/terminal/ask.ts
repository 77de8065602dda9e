/** Questions at a terminal. Without a terminal each is an error with the flag to give. */
import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { Problem, usage } from '../problem.ts'
import { printable } from './printable.ts'

export interface Terminal {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  /** Ends the question without an answer. */
  signal: AbortSignal
}

/** A possible answer. */
export interface Choice<T> {
  value: T
  label: string
  hint?: string
}

/** Each waits for its answer. `instead` names the flag or variable that answers without a terminal. */
export interface Ask {
  /** No by default. */
  confirm(question: string, instead: string): Promise<boolean>
  /** By number; the first choice by default. */
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
  const open = (question: string, instead: string): Terminal => {
    const found = terminal()
    if (found) return found
    throw usage(`This needs an answer, and there is no terminal to ask at: ${question}`, { hint: `Give ${instead}.` })
  }
  return {
    async confirm(question, instead) {
      return /^y(es)?$/i.test(await answerTo(open(question, instead), `${question} [y/N]`, {}))
    },
    async select(question, choices, instead) {
      const at = open(question, instead)
      const lines = choices.map(({ label, hint = '' }, index) => `  ${index + 1}  ${label}${hint && ` (${hint})`}\n`)
      at.output.write(printable(lines.join('')))
      const range = `1 to ${choices.length}`
      const find = (answer: string) => choices[answer === '' ? 0 : Number(answer) - 1]
      const check = (answer: string) => (find(answer) ? undefined : `Give a number, ${range}.`)
      return find(await answerTo(at, `${question} [${range}]`, { check }))!.value
    },
    async text(question, instead, { initial = '', check = () => undefined } = {}) {
      const checkText = (value: string) => (value === '' ? MISSING : check(value))
      return answerTo(open(question, instead), question, { initial, check: checkText })
    },
    async secret(question, instead) {
      const check = (value: string) => (value === '' ? MISSING : undefined)
      return answerTo(open(question, instead), question, { check, isSecret: true })
    },
  }
}

const MISSING = 'Something is needed here.'

interface AnswerRules {
  initial?: string
  isSecret?: boolean
  /** @returns a sentence about a wrong answer */
  check?(value: string): string | undefined
}

/** Reads a line, which is trimmed, until it is right. @throws Problem after Ctrl-C, Ctrl-D or the signal */
async function answerTo(
  { input, output, signal }: Terminal,
  question: string,
  { initial = '', isSecret = false, check = () => undefined }: AnswerRules,
): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const prompt = `${styleText('bold', printable(question), { stream: output })} `
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: isSecret ? hidden : output, terminal: true, historySize: 0 })
  const ended = new AbortController()
  for (const event of ['SIGINT', 'close']) lines.once(event, () => ended.abort())
  try {
    for (let value = initial; ; ) {
      if (isSecret) output.write(prompt)
      const answer = lines.question(prompt, { signal: AbortSignal.any([signal, ended.signal]) })
      lines.write(isSecret ? '' : value)
      value = (await answer).trim()
      if (isSecret) output.write('\n')
      const wrong = check(value)
      if (wrong === undefined) return value
      output.write(`${printable(wrong)}\n`)
    }
  } catch (error) {
    if (!ended.signal.aborted && !signal.aborted) throw error
    output.write('\n')
    throw new Problem('Cancelled.')
  } finally {
    lines.close()
  }
}
