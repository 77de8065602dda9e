/** Where the store says what happened. */
import type { Log } from '../scheduling/background.ts'

export type Logger = Log

export const SILENT: Logger = { info() {}, warn() {}, error() {} }

export function logWithOrganization(log: Logger, organization: string): Logger {
  return {
    info: (data, msg) => log.info({ organization, ...data }, msg),
    warn: (data, msg) => log.warn({ organization, ...data }, msg),
    error: (data, msg) => log.error({ organization, ...data }, msg),
  }
}
