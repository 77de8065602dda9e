/** Where the store says what happened; pino's logger fits. */

/** A structured logger: an object with details, then one sentence. */
export interface Logger {
  info(data: object, msg: string): void
  warn(data: object, msg: string): void
  error(data: object, msg: string): void
}

/** For callers without a log. */
export const SILENT: Logger = { info() {}, warn() {}, error() {} }

/** The same log, naming the organization in every line. */
export function within(log: Logger, organization: string): Logger {
  return {
    info: (data, msg) => log.info({ organization, ...data }, msg),
    warn: (data, msg) => log.warn({ organization, ...data }, msg),
    error: (data, msg) => log.error({ organization, ...data }, msg),
  }
}
