/** Hides Node's warnings about its experimental features, such as `node:sqlite` in older versions of Node 24. */

/** @returns a function that shows warnings again */
export function hideNodeWarnings(): () => void {
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const [first, second] = rest
    const { type = first, code = second } = Object(first) as { type?: string; code?: string }
    if (type === 'ExperimentalWarning' || code === 'MODULE_TYPELESS_PACKAGE_JSON') return
    ;(emitWarning as (...all: unknown[]) => void).call(process, warning, ...rest)
  }
  return () => {
    process.emitWarning = emitWarning
  }
}
