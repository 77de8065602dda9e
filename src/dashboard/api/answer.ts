/** Answers of the generated client as data or a {@link ApiProblem}, and the sentence of a problem. */
import type { TFunction } from 'i18next'
import { defaults } from './client.ts'
import { noteAnswer, statusSentence } from './connection.ts'

/** Where the server is reached, below the path that a proxy adds; without a slash at its end. */
export const serverAddress = (): string => new URL('.', document.baseURI).href.replace(/\/$/, '')
defaults.baseUrl = serverAddress()

/** A refusal of the server with its own sentence; '' where the server, or a proxy before it, sends none. */
export class ApiProblem extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  readonly data: unknown

  constructor(status: number, message: string, data?: unknown) {
    super(message)
    this.status = status
    this.data = data
  }
}

/** A name of `.` or `..` in a request path. Browsers resolve it as a folder and would request another address. */
export class DotNameProblem extends ApiProblem {}

defaults.fetch = async (input, init) => {
  if (typeof input === 'string' && /\/\.\.?(?:[/?]|$)/.test(input))
    throw new DotNameProblem(400, 'A name of dots alone.')
  return fetch(input, init)
}

interface Answered {
  status: number
  data?: unknown
  headers: Headers
}

type Good<A> = Extract<A, { status: 200 | 201 | 202 | 204 }>

/** The whole answer of a call that succeeded. @throws Problem for any other, and without a connection (status 0) */
export async function response<A extends Answered>(call: Promise<A>): Promise<Good<A>> {
  let answered: A
  const askedAt = performance.now()
  try {
    answered = await call
  } catch (cause) {
    if (cause instanceof DotNameProblem || (cause instanceof DOMException && cause.name === 'AbortError')) throw cause
    noteAnswer(0, askedAt)
    throw new ApiProblem(0, 'No connection to the server.', cause)
  }
  noteAnswer(answered.status, askedAt, answered.headers)
  if (answered.status >= 200 && answered.status < 300) return answered as Good<A>
  throw new ApiProblem(answered.status, sentenceOf(answered), answered.data)
}

/** The data of a call that succeeded. @throws Problem */
export async function answer<A extends Answered>(call: Promise<A>): Promise<Good<A>['data']> {
  return (await response(call)).data
}

function sentenceOf({ data }: Answered): string {
  if (typeof data !== 'object' || data === null) return ''
  // better-auth names the sentence of its own refusals `message`.
  const { error, message } = data as { error?: unknown; message?: unknown }
  return typeof error === 'string' ? error : typeof message === 'string' ? message : ''
}

/** The server's own sentence, or one of the dashboard where the server sent none. @param t of the namespace `common` */
export function problemOf(error: unknown, t: TFunction): string {
  if (error instanceof DotNameProblem) return t('common:dotsProblem')
  if (!(error instanceof ApiProblem)) return t('common:unknownProblem')
  if (error.status === 0) return t('common:offlineProblem')
  if (error.status === 401) return t('common:signedOut')
  return error.message || statusSentence(error.status, t)
}
