/** Draws questions at a terminal and reads the answers key by key. Imported late: most commands ask nothing. */
import { emitKeypressEvents, type Key } from 'node:readline'
import { asLine, asOwn, coloured, makeStyle } from './printable.ts'
import { widthOf } from './width.ts'

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

/** A question that is open. */
interface Open<T> {
  /** The lines below the question. */
  lines(): string[]
  /** @returns the answer, if the key completes it */
  press(typed: string, key: Key): Pick<Choice<T>, 'value' | 'label'> | undefined
}

/** @returns undefined after Ctrl-C, Ctrl-D, Escape, the signal, or the end of the terminal */
function answerTo<T extends string | boolean>(
  message: string,
  { input, output, signal }: Terminal,
  open: Open<T>,
): Promise<T | undefined> {
  const question = makeStyle(output)('bold', message)
  return new Promise(resolve => {
    let above = 0
    const draw = (lines: string[]) => {
      output.write(`\r${above > 0 ? `\x1b[${above}A` : ''}\x1b[J${lines.map(coloured).join('\r\n')}`)
      above = lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / (output.columns || 80))), -1)
    }
    const end = (answer?: Pick<Choice<T>, 'value' | 'label'>) => {
      input.off('keypress', onKey).off('end', cancel).pause().setRawMode(false)
      signal.removeEventListener('abort', cancel)
      draw([`${question} ${answer?.label ?? ''}`.trimEnd()])
      output.write('\x1b[?25h\r\n')
      void resolve(answer?.value)
    }
    const cancel = () => end()
    const onKey = (typed: string | undefined, key: Key) => {
      if (key.name === 'escape' || (key.ctrl && /^[cd]$/.test(key.name ?? ''))) return end()
      const answer = open.press(typed ?? '', key)
      if (answer) end(answer)
      else draw([question, ...open.lines()])
    }
    if (signal.aborted) return resolve(undefined)
    emitKeypressEvents(input)
    input.setRawMode(true)
    input.on('keypress', onKey).on('end', cancel).resume()
    signal.addEventListener('abort', cancel)
    output.write('\x1b[?25l')
    draw([question, ...open.lines()])
  })
}

const isEnter = ({ name }: Key) => name === 'return' || name === 'enter'

/** The direction of a key in a list. */
const STEPS: Record<string, number> = { up: -1, left: -1, k: -1, down: 1, right: 1, j: 1, tab: 1 }

/** @param at the preselected choice @param keys that choose at once, by index */
export function choose<T extends string | boolean>(
  message: string,
  choices: readonly Choice<T>[],
  terminal: Terminal,
  at = 0,
  keys: readonly string[] = [],
): Promise<T | undefined> {
  const style = makeStyle(terminal.output)
  let chosen = at
  return answerTo<T>(message, terminal, {
    lines: () =>
      choices.map(({ label, hint }, place) => {
        const line = hint === undefined ? label : `${label} ${style('dim', `(${hint})`)}`
        return place === chosen ? `${style('cyan', '>')} ${line}` : `  ${line}`
      }),
    press(_, key) {
      chosen = (chosen + (STEPS[key.name ?? ''] ?? 0) + choices.length) % choices.length
      return isEnter(key) ? choices[chosen] : choices[keys.indexOf(key.name ?? '')]
    },
  })
}

interface Rules {
  initial?: string
  isSecret?: boolean
  /** @returns a sentence about a wrong text */
  check(text: string): string | undefined
}

/** Asks for a line of text, which is trimmed. */
export function type(message: string, { initial = '', isSecret = false, check }: Rules, terminal: Terminal) {
  const text = [...initial]
  let [at, wrong] = [text.length, '']
  const shown = (signs: string[]) => (isSecret ? '•'.repeat(signs.length) : asLine(signs.join('')))
  return answerTo<string>(message, terminal, {
    // The cursor is drawn: the terminal's own one is wrong in a wrapped line.
    lines: () => [
      shown(text.slice(0, at)) +
        asOwn(`\x1b[7m${shown(text.slice(at, at + 1)) || ' '}\x1b[m`) +
        shown(text.slice(at + 1)),
      ...(wrong === '' ? [] : [makeStyle(terminal.output)('yellow', wrong)]),
    ],
    press(typed, key) {
      wrong = ''
      if (isEnter(key)) {
        const value = text.join('').trim()
        wrong = (value === '' ? 'Something is needed here.' : check(value)) ?? ''
        return wrong === '' ? { value, label: shown([...value]) } : undefined
      }
      const name = key.ctrl ? `ctrl-${key.name}` : (key.name ?? '')
      if (name === 'backspace' && at > 0) text.splice(--at, 1)
      else if (name === 'delete') text.splice(at, 1)
      else if (name === 'ctrl-u') text.splice(0, at)
      else if (!key.ctrl && !key.meta && /^\P{C}$/u.test(typed)) text.splice(at++, 0, typed)
      const ends = { home: 0, 'ctrl-a': 0, 'ctrl-u': 0, end: text.length, 'ctrl-e': text.length }
      const moves: Record<string, number> = { left: at - 1, right: at + 1, ...ends }
      at = Math.min(text.length, Math.max(0, moves[name] ?? at))
      return undefined
    },
  })
}
