/** How far a command is, on standard error: one line that is written again and goes when it is done. */
import { cut } from './width.ts'

/** A line that tells how far something is. */
export interface Progress {
  update(text: string): void
  /** Clears the line. More than once is as good as once. */
  stop(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Between two frames, in ms. */
const TURN = 100

const SILENT: Progress = { update() {}, stop() {} }

/** @param stream standard error, undefined where nothing may be told: no terminal, or `--json` */
export function startProgress(stream: NodeJS.WriteStream | undefined, label: string): Progress {
  if (stream === undefined) return SILENT
  let [text, frame] = [label, 0]
  const draw = () => {
    const line = cut(`${FRAMES[frame++ % FRAMES.length]} ${text}`, Math.max(10, stream.columns ?? 80) - 1)
    stream.write(`\r\x1b[K${line}`)
  }
  const timer = setInterval(draw, TURN)
  timer.unref()
  let stopped = false
  return {
    update(words) {
      text = `${label} ${words}`
    },
    stop() {
      if (stopped) return
      stopped = true
      clearInterval(timer)
      if (frame > 0) stream.write('\r\x1b[K')
    },
  }
}
