/** One command at a time in an app's folder: of two pulls, the older must not write over what the newer brought. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive, RUN } from '../local/alive.ts'
import { Problem } from '../problem.ts'
import { failed, stateFolder } from './state.ts'

/** How long one other command is waited for, in ms, and how often it is looked for. */
const PATIENCE = { all: 10_000, each: 50 }
/** What a file of a turn says when that has ended; before it, the id of its process and what tells that from others. */
const ENDED = 'ended'
const OWN = `${process.pid} ${RUN}`

/**
 * Turns are counted: `.parlance/turn-7` is whoever has it, and whose is next makes `turn-8`, which only one can. The
 * last file stays when its turn has ended, since a number that came again would be taken by one who looked long before.
 * @param looks whether it writes nothing, and so needs no turn
 * @throws Problem when another one does not end
 */
export async function alone<T>(root: string, stop: AbortSignal, run: () => Promise<T>, looks = false): Promise<T> {
  if (looks) return run()
  const folder = stateFolder(root)
  const file = await taken(folder, root, stop)
  try {
    return await run()
  } finally {
    try {
      writeFileSync(file, ENDED)
    } catch {}
  }
}

/** @returns the file of the turn */
async function taken(folder: string, root: string, stop: AbortSignal): Promise<string> {
  let [seen, waited] = [0, 0]
  for (;;) {
    const last = Math.max(0, ...turnsIn(folder))
    if (last !== seen) [seen, waited] = [last, 0]
    const holder = last === 0 ? ENDED : wordIn(fileOf(folder, last))
    // A file without a word may be half written; after a while it is a dead one's.
    const isFree = holder === '' ? waited > PATIENCE.all / 2 : !isHeld(holder)
    if (!isFree && waited >= PATIENCE.all) {
      throw new Problem(`Another command (process ${idOf(holder)}) is at work in ${root}.`, {
        hint: `Wait for its end; when there is none, remove ${fileOf(folder, last)}.`,
      })
    }
    if (isFree && isTaken(folder, last + 1)) return fileOf(folder, last + 1)
    if (isFree) continue
    await pause(PATIENCE.each, undefined, { signal: stop })
    waited += PATIENCE.each
  }
}

function wordIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const idOf = (holder: string) => Number.parseInt(holder, 10)

const isHeld = (holder: string) =>
  holder !== ENDED && (idOf(holder) === process.pid ? holder === OWN : isAlive(idOf(holder)))

/** Takes a turn, and clears away what those before it left. @returns false when another has it, or a later one */
function isTaken(folder: string, turn: number): boolean {
  const file = fileOf(folder, turn)
  try {
    writeFileSync(file, OWN, { flag: 'wx' })
    const turns = turnsIn(folder)
    if (turns.every(other => other <= turn)) {
      const old = turns.filter(other => other < turn).map(other => fileOf(folder, other))
      const halves = readdirSync(folder)
        .filter(name => name.endsWith('.tmp'))
        .map(name => join(folder, name))
      for (const path of [...old, ...halves]) rmSync(path, { force: true })
      return true
    }
    rmSync(file, { force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // On a full disk it is there without a word, for which the next one would wait.
    rmSync(file, { force: true })
    throw failed(error, folder)
  }
  return false
}

const fileOf = (folder: string, turn: number) => join(folder, `turn-${turn}`)

const turnsIn = (folder: string) =>
  readdirSync(folder).flatMap(name => (/^turn-\d+$/.test(name) ? [Number(name.slice('turn-'.length))] : []))
