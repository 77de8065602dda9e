/** Reads `machines.json`. No message quotes a value: it may be a key. */
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { isChatModel, MACHINE_KINDS, type Machine, type MachineKind } from './machine.ts'

/** Machines in a file. */
const MOST_MACHINES = 20
/** Stands for candidates of the translation memory. */
const RESERVED = 'memory'

const price = z.number().nonnegative().max(1e6)
const isUrl = (text: string) => /^https?:\/\/[^?#@\\\s]+$/i.test(text) && URL.canParse(text)

const FORMS = {
  name: '1 to 40 letters, digits, dots, dashes and spaces, and not "memory"',
  kind: `one of ${MACHINE_KINDS.join(', ')}`,
  url: 'an http or https URL without user, query or fragment',
  key: '1 to 1000 characters without spaces',
  model: '1 to 200 characters without spaces',
  languages: 'a list of 1 to 200 language tags',
  monthlyLimit: 'a number above 0',
  timeoutSeconds: 'a whole number from 1 to 600',
  concurrency: 'a whole number from 1 to 50',
  batch: 'a whole number from 1 to 50',
  price: 'an object such as { "currency": "USD", "perMillionCharacters": 20 }',
} as const

const Row = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9 .-]{0,39}$/)
    .refine(name => name !== RESERVED),
  kind: z.enum(MACHINE_KINDS),
  url: z.string().max(500).refine(isUrl).optional(),
  key: z
    .string()
    .regex(/^[\x21-\x7e]{1,1000}$/)
    .optional(),
  model: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional(),
  price: z
    .strictObject({
      currency: z.string().regex(/^[A-Z]{3}$/),
      perMillionCharacters: price.optional(),
      perMillionInputTokens: price.optional(),
      perMillionOutputTokens: price.optional(),
    })
    .optional(),
  languages: z
    .array(z.string().regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/))
    .min(1)
    .max(200)
    .optional(),
  monthlyLimit: z.number().positive().max(1e12).optional(),
  timeoutSeconds: z.int().min(1).max(600).default(60),
  concurrency: z.int().min(1).max(50).default(4),
  batch: z.int().min(1).max(50).default(20),
})

/** What a kind needs, and where it is by default. */
const KINDS: Record<MachineKind, { needs: ('key' | 'model' | 'url')[]; url?: string }> = {
  openai: { needs: ['model'], url: 'https://api.openai.com/v1' },
  anthropic: { needs: ['key', 'model'], url: 'https://api.anthropic.com' },
  deepl: { needs: ['key'], url: 'https://api.deepl.com' },
  google: { needs: ['key'], url: 'https://translation.googleapis.com' },
  libretranslate: { needs: ['url'] },
  apertium: { needs: ['url'] },
}
const FREE_DEEPL = 'https://api-free.deepl.com'

/** @throws Failure `invalid` naming the first fault by its place */
export function parseMachines(text: string): Machine[] {
  let rows: unknown
  try {
    rows = JSON.parse(text)
  } catch {
    throw invalid('is not valid JSON')
  }
  if (!Array.isArray(rows) || rows.length > MOST_MACHINES) throw invalid(`must be a list of at most ${MOST_MACHINES}`)
  const machines = rows.map((row, index) => machineOf(row, `machine ${index + 1}`))
  const names = machines.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`has two machines with the name "${twice}"`)
  return machines
}

function machineOf(row: unknown, place: string): Machine {
  const parsed = Row.safeParse(row)
  if (!parsed.success) throw invalid(`${place}${faultOf(row, parsed.error.issues[0]!)}`)
  const { key, url, timeoutSeconds, ...rest } = parsed.data
  const { name, kind, price, model } = rest
  const { needs, url: usual } = KINDS[kind]
  const isChat = isChatModel({ kind })
  for (const member of needs) {
    if (parsed.data[member] === undefined) throw invalid(`${place} ("${name}") of kind ${kind} needs "${member}"`)
  }
  if (model !== undefined && !isChat) throw invalid(`${place} ("${name}") of kind ${kind} has no "model"`)
  if (price !== undefined) {
    const due = isChat
      ? (['perMillionInputTokens', 'perMillionOutputTokens'] as const)
      : (['perMillionCharacters'] as const)
    const lacking = due.find(member => price[member] === undefined)
    if (lacking) throw invalid(`${place} ("${name}") of kind ${kind} needs "price.${lacking}"`)
    const members = Object.keys(price).filter(member => member !== 'currency')
    const other = members.find(member => !(due as readonly string[]).includes(member))
    if (other) throw invalid(`${place} ("${name}") of kind ${kind} has no "price.${other}"`)
  }
  const otherwise = kind === 'deepl' && key?.endsWith(':fx') ? FREE_DEEPL : usual!
  return {
    ...rest,
    url: (url ?? otherwise).replace(/\/$/, ''),
    key: key === undefined ? undefined : () => key,
    timeoutMs: timeoutSeconds * 1000,
  }
}

function faultOf(row: unknown, issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    const within = path === '' ? '' : `${path}.`
    return ` has the unknown member "${within}${shownName(issue.keys[0]!)}"`
  }
  const [member] = issue.path
  if (member === undefined) return ' must be an object'
  const form = FORMS[member as keyof typeof FORMS]
  const { kind } = row as { kind?: unknown }
  if (member === 'kind' && typeof kind === 'string') return ` has the unknown kind "${shownName(kind)}": use ${form}`
  return `: "${path}" must be ${form}`
}

/** A name that cannot be a key that stands in the wrong place. */
const shownName = (name: string) => (/^[A-Za-z0-9_-]{1,24}$/.test(name) ? name : '…')

const invalid = (fault: string) => new Failure('invalid', `The file of machines ${fault}.`)
