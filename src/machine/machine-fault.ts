/** Why a machine, or a job of it, failed: a code with values for programs, and an English sentence of it. */
import { Failure, type FailureCode } from '../bundle/errors.ts'

/** The reason of a failure. */
export interface MachineFault {
  code: MachineFaultCode
  /** The name of the machine. */
  machine?: string
  /** HTTP status of the machine's answer. */
  status?: number
  /** Of `paused` a pause, of `late` the maximum. */
  seconds?: number
  /** Of `limit`, in `unit`; of `texts` the maximum of a plan. */
  limit?: number
  unit?: string
  /** Of `language`: what the machine does not translate into. */
  language?: string
  /** Of `unreached`: the code of the system's error. */
  detail?: string
}

type Values = Required<Omit<MachineFault, 'code'>>

/** Sentences of faults, `name` being `The machine "DeepL"`. */
const SENTENCES = {
  busy: ({ status }, name) => `${name} is busy (status ${status}).`,
  paused: ({ seconds }, name) => `${name} wants no request for ${seconds} seconds.`,
  crowded: ({ machine }) => `Too many requests wait for the machine "${machine}"; try again.`,
  limit: ({ limit, unit }, name) =>
    `${name} has no room left in its limit of ${english(limit)} ${unit} for this month.`,
  late: ({ seconds }, name) => `${name} did not answer within ${seconds} seconds.`,
  unreached: ({ detail }, name) => `${name} cannot be reached (${detail}).`,
  cut: (_, name) => `${name} ended the connection before its answer was complete.`,
  'no-json': (_, name) => `${name} does not answer with JSON.`,
  long: ({ limit }, name) => `${name} answers with more than ${limit} bytes.`,
  redirect: (_, name) => `${name} answers with a redirect, which is not followed.`,
  key: ({ status }, name) => `${name} refuses its key (status ${status}).`,
  address: ({ status }, name) => `${name} finds nothing at its URL, or not its model (status ${status}).`,
  quota: ({ status }, name) => `${name} has used up its quota at the provider (status ${status}).`,
  status: ({ status }, name) => `${name} answers with status ${status}.`,
  removed: ({ machine }) => `This server has no machine "${machine}" any more.`,
  none: () => 'This server has no machine translators.',
  list: () => 'The list of machines of this server has a fault: its operator has to look at it.',
  language: ({ language }, name) => `${name} does not translate into "${language}".`,
  texts: ({ limit }) => `This is of more than ${english(limit)} texts: choose fewer languages or namespaces.`,
  jobs: () => 'Too many translations of this project or organization wait; try again later.',
  memory: () => 'The memory is being built; try again in a moment.',
} as const satisfies Record<string, (values: Values, name: string) => string>

/** Why a job ended, where the failure's own sentence says it. */
const OF_JOBS = ['right', 'gone', 'away', 'large', 'space', 'server'] as const

export type MachineFaultCode = keyof typeof SENTENCES | (typeof OF_JOBS)[number]
export const MACHINE_FAULT_CODES: readonly MachineFaultCode[] = [
  ...(Object.keys(SENTENCES) as (keyof typeof SENTENCES)[]),
  ...OF_JOBS,
]

const english = (amount: number) => amount.toLocaleString('en')

/** How a job goes on after a failure. */
interface Retrying {
  /** Seconds after which to try again. */
  retryAfter?: number | undefined
  /** Attempts of a job. */
  attempts?: number | undefined
  /** Whether it is about the texts of the request: others may fare better. */
  isOfTexts?: boolean
  /** Whether the machine counts nothing for it. */
  isFree?: boolean
}

/** A failure with the sentence of its fault. */
export function machineFailure(
  code: FailureCode,
  fault: MachineFault & { code: keyof typeof SENTENCES },
  retrying: Retrying = {},
): Failure {
  const sentence = SENTENCES[fault.code](fault as Values, `The machine "${fault.machine}"`)
  return new Failure(code, sentence, { ...retrying, fault })
}

/** The fault of any failure. */
export function machineFaultOf(error: unknown): MachineFault {
  if (!(error instanceof Failure)) return { code: 'server' }
  return (error.data.fault as MachineFault | undefined) ?? { code: BY_FAILURE[error.code] ?? 'server' }
}

const BY_FAILURE: Partial<Record<FailureCode, MachineFaultCode>> = {
  unauthenticated: 'right',
  forbidden: 'right',
  'not-found': 'gone',
  unavailable: 'away',
  'too-large': 'large',
  'no-space': 'space',
}
