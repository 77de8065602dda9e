/** A line of progress on standard error, which is removed at the end. */
import { cut } from './width.ts'

export interface Progress {
  /** Clears the line. Further calls have no effect. */
  stop(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Milliseconds between two frames. */
const INTERVAL = 100

const SILENT: Progress = { stop() {} }

/** @param stream standard error; undefined without a terminal or with `--json` */
export function startProgress(stream: NodeJS.WriteStream | undefined, label: string): Progress {
  if (stream === undefined) return SILENT
  let frame = 0
  const draw = () => {
    const line = cut(`${FRAMES[frame++ % FRAMES.length]} ${label}`, Math.max(10, stream.columns ?? 80) - 1)
    stream.write(`\r\x1b[K${line}`)
  }
  const timer = setInterval(draw, INTERVAL)
  timer.unref()
  let stopped = false
  return {
    stop() {
      if (stopped) return
      stopped = true
      clearInterval(timer)
      if (frame > 0) stream.write('\r\x1b[K')
    },
  }
}
