/**
 * A story: a document with examples of the CLI. Its `console` blocks run in order, in one shell in an empty folder. A
 * block with a path behind its language is a file, which exists from that place on. The output must equal the text.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { masked } from '../masked.ts'

/** A command with what is shown under it, its lines counted from 0 and without the line of its end. */
export interface Step {
  command: string
  shown: string
  from: number
  to: number
}

/** A file of a story, by its path from the first folder. */
export interface StoryFile {
  path: string
  text: string
}

export interface Story {
  lines: string[]
  parts: (Step | StoryFile)[]
}

export const isStep = (part: Step | StoryFile): part is Step => 'command' in part

/** @throws Error for a block without an end */
export function storyOf(text: string): Story {
  const lines = text.split('\n')
  const parts: Story['parts'] = []
  for (let at = 0; at < lines.length; at++) {
    const [, fence = '', language = '', path] = /^(`{3,})(\w*) ?(\S+)?$/.exec(lines[at]!) ?? []
    if (fence === '') continue
    const end = lines.indexOf(fence, at + 1)
    if (end < 0) throw new Error(`line ${at + 1}: a block without an end`)
    if (language === 'console') parts.push(...stepsIn(lines, at + 1, end))
    else if (path !== undefined) parts.push({ path, text: `${lines.slice(at + 1, end).join('\n')}\n` })
    at = end
  }
  return { lines, parts }
}

/** A command is what stands after `$ `, with the lines that follow a backslash. */
function* stepsIn(lines: string[], from: number, end: number): Generator<Step> {
  let at = from
  while (at < end) {
    let command = lines[at++]!.replace(/^\$ /, '')
    while (command.endsWith('\\') && at < end) command += `\n${lines[at++]}`
    const start = at
    while (at < end && !lines[at]!.startsWith('$ ')) at++
    yield { command, shown: lines.slice(start, at).join('\n'), from: start, to: at }
  }
}

const MARK = '\u0001'
/** The server and the home in the text of a story. */
const SERVER = 'localhost:3000'
const HOME = '/home/ann'

/** The place of a run: a folder, which is the home too, the server, the file of the CLI, and further variables. */
export interface Stage {
  folder: string
  port: string
  program: string
  env: Record<string, string>
}

/**
 * Runs a story.
 * @returns the output of each step, in order, with `[exit 1]` at its end after a failure
 */
export async function tell(story: Story, stage: Stage): Promise<string[]> {
  const work = join(stage.folder, 'app')
  const real = (text: string) => text.replaceAll(SERVER, `localhost:${stage.port}`)
  mkdirSync(work, { recursive: true })
  const script = [`parlance() { node '${stage.program}' "$@"; }\n`]
  let steps = 0
  for (const [index, part] of story.parts.entries()) {
    if (isStep(part)) {
      script.push(
        `printf '${MARK}${steps++}\\n'\n{ ${real(part.command)}\n} 2>&1 </dev/null\nprintf '${MARK}exit %s\\n' $?\n`,
      )
      continue
    }
    const kept = join(stage.folder, '.files', String(index))
    mkdirSync(dirname(kept), { recursive: true })
    writeFileSync(kept, real(part.text))
    const path = join(work, part.path)
    script.push(`mkdir -p '${dirname(path)}' && cp '${kept}' '${path}'\n`)
  }
  writeFileSync(join(stage.folder, '.story.sh'), script.join(''))
  const output = await shell(stage, work)
  const came = new Map<string, string>()
  for (const [, step = '', text = '', code] of output.matchAll(MARKED)) {
    const clean = shown(shown(text, `localhost:${stage.port}`, SERVER), stage.folder, HOME).trimEnd()
    came.set(step, code === '0' ? clean : `${clean}${clean && '\n'}[exit ${code}]`)
  }
  return Array.from(
    { length: steps },
    (_, step) => came.get(String(step)) ?? `[the shell ended: ${output.slice(-500)}]`,
  )
}

/** The text with another name for something, and the columns behind it where they were. */
function shown(text: string, name: string, other: string): string {
  const parts = text.split(name)
  const missing = ' '.repeat(Math.max(0, name.length - other.length))
  return parts
    .map((part, index) => (index === 0 ? part : part.replace(/^(\S*)(?= {2,}\S)/, `$1${missing}`)))
    .join(other)
}

const MARKED = new RegExp(`${MARK}(\\d+)\\n([^${MARK}]*)${MARK}exit (\\d+)\\n`, 'g')

function shell({ folder, env }: Stage, cwd: string): Promise<string> {
  const child = spawn('bash', [join(folder, '.story.sh')], {
    cwd,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: folder,
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      COLUMNS: '100',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', part => (output += part))
  child.stderr.setEncoding('utf8').on('data', part => (output += part))
  return new Promise(resolve => child.on('close', () => resolve(output)))
}

/** Where something was masked, columns of other widths are no difference. */
function comparable(text: string): string {
  const hidden = masked(text)
  const isMasked = hidden !== text.trimEnd() || hidden.includes(SERVER) || hidden.includes(HOME)
  return isMasked ? hidden.replace(/ {2,}/g, '  ') : hidden
}

/** The steps with another output than in the text. */
export function differences(story: Story, came: string[]): { step: Step; came: string }[] {
  const steps = story.parts.filter(isStep)
  return steps.flatMap((step, index) =>
    comparable(step.shown) === comparable(came[index]!) ? [] : [{ step, came: came[index]! }],
  )
}

/** Writes the output into the story, except where only ids and times differ. */
export function rewrite(file: string, story: Story, came: string[]): void {
  const lines = [...story.lines]
  for (const { step, came: text } of differences(story, came).reverse()) {
    lines.splice(step.from, step.to - step.from, ...(text === '' ? [] : text.split('\n')))
  }
  writeFileSync(file, lines.join('\n'))
}

export const readStory = (file: string): Story => storyOf(readFileSync(file, 'utf8'))
