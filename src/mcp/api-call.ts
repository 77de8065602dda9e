/** How a tool asks the API: by its routes alone, so that their rules, rights, limits and log hold. */

/** A request of the API. */
export interface ApiRequest {
  method: 'GET' | 'POST'
  path: string
  /** Without those that are undefined. */
  query?: Record<string, string | number | boolean | undefined>
  body?: object
}

/** Sends a request as the caller. @returns the answer's JSON @throws ApiRefusal */
export type ApiCall = <T extends object = Record<string, unknown>>(request: ApiRequest) => Promise<T>

/** An answer of the API that is no success. */
export class ApiRefusal extends Error {
  override name = 'ApiRefusal'
  readonly data: { error: string; status: number; retryAfter?: number }

  /** @param error the sentence of the API */
  constructor(status: number, error: string, more: { retryAfter?: number } = {}) {
    super(error)
    this.data = { error, status, ...more }
  }
}

/** A path of segments. @throws ApiRefusal for a segment that would lead to another route */
export function pathOf(...segments: string[]): string {
  const odd = segments.find(one => ['', '.', '..'].includes(one))
  if (odd !== undefined) throw new ApiRefusal(400, `The name "${odd}" is empty, or only dots.`)
  if (!segments.every(one => one.isWellFormed())) throw new ApiRefusal(400, 'A name has a lone surrogate.')
  return `/api/${segments.map(encodeURIComponent).join('/')}`
}

/** The fields of a project, with its languages. */
export const manifestOf = (call: ApiCall, project: string) =>
  call<{ sourceLanguage: string; languages: string[] }>({ method: 'GET', path: pathOf('projects', project) })
