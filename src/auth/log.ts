/** The log as this part uses it: the operator's, never a caller's. */
export interface AuthLog {
  warn(data: object, message: string): void
  error(data: object, message: string): void
}

/** For callers that want no log. */
export const SILENT: AuthLog = { warn: () => {}, error: () => {} }
