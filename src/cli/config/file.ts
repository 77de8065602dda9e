/** Reads and checks `parlance.config.json`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BOM, decode } from '../local/document.ts'
import { collected, FaultList } from '../local/fault-list.ts'
import { plain, positionOf, readJson } from '../local/json-source.ts'
import type { OwnFields } from '../local/types.ts'
import { nearest } from '../nearest.ts'
import { usage } from '../problem.ts'
import schema from './parlance.config.schema.json' with { type: 'json' }

export const CONFIG_FILE = 'parlance.config.json'

/** The fields of the file; parlance.config.schema.json describes each. */
export interface ParlanceConfig extends OwnFields {
  $schema?: string
  url?: string
  project?: string
}

/** The part of JSON Schema that the schema of the config uses. */
interface FieldSchema {
  type?: string
  const?: unknown
  enum?: unknown[]
  minLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  items?: FieldSchema
  additionalProperties?: FieldSchema
  anyOf?: FieldSchema[]
  description?: string
}

const fields = schema.properties as Record<string, FieldSchema>
const TOKEN = 'Everybody with the app can read this file: `parlance login` stores a token, CI sets PARLANCE_TOKEN.'

/**
 * The config of a folder; undefined without one.
 * @throws Problem (exit 2) with each fault, its file, line and column, and the expected value
 */
export function readConfigFile(root: string): ParlanceConfig | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(join(root, CONFIG_FILE))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw usage(`It cannot be read (${code}).`, { file: CONFIG_FILE, cause: error })
  }
  const faults = new FaultList()
  const config = collected(faults, () => parsed(bytes, faults))
  const problem = faults.problem()
  if (problem) throw usage(problem.message, problem.where)
  return config as ParlanceConfig
}

/** @throws Problem (exit 2) for the first wrong field */
export function checkConfig(config: object): ParlanceConfig {
  for (const [name, value] of Object.entries(config)) {
    const fault = faultOf(name, value)
    if (fault) throw usage(fault.words, { file: CONFIG_FILE })
  }
  return config as ParlanceConfig
}

function parsed(bytes: Buffer, faults: FaultList): unknown {
  const text = decode(CONFIG_FILE, bytes).replace(BOM, '')
  const problem = (words: string, at: number, hint?: string) =>
    usage(words, { file: CONFIG_FILE, ...positionOf(text, at), ...(hint && { hint }) })
  const { value: root, faults: found } = readJson(text)
  for (const { sentence, at } of found) faults.add(CONFIG_FILE, at, () => problem(`${sentence}.`, at))
  if (!root) return undefined
  if (root.kind !== 'object') throw problem('It must be a JSON object.', root.from)
  for (const { name, from, value } of root.members) {
    const fault = faultOf(name, plain(value))
    const at = fault?.isUnknown ? from : value.from
    if (fault) faults.add(CONFIG_FILE, at, () => problem(fault.words, at, fault.hint))
  }
  return plain(root)
}

/** The fault of a field; undefined without one. */
function faultOf(name: string, value: unknown): { words: string; hint?: string; isUnknown?: true } | undefined {
  const shape = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (shape === undefined) {
    const meant = nearest(name, Object.keys(fields))
    const hint = name === 'token' ? TOKEN : meant && `Did you mean ${JSON.stringify(meant)}?`
    return { words: `There is no such field: ${JSON.stringify(name)}.`, ...(hint && { hint }), isUnknown: true }
  }
  if (fits(value, shape)) return undefined
  return { words: `${JSON.stringify(name)} must be ${expected(shape)}, not ${JSON.stringify(value)}.` }
}

function fits(value: unknown, shape: FieldSchema): boolean {
  if (shape.anyOf) return shape.anyOf.some(one => fits(value, one))
  if ('const' in shape) return value === shape.const
  if (shape.enum) return shape.enum.includes(value)
  if (shape.type === 'array') return Array.isArray(value) && value.every(one => fits(one, shape.items!))
  if (shape.type === 'object') {
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
    return isObject && Object.values(value).every(one => fits(one, shape.additionalProperties!))
  }
  if (shape.type === 'integer') {
    return Number.isInteger(value) && (value as number) >= shape.minimum! && (value as number) <= shape.maximum!
  }
  if (shape.type === 'boolean') return typeof value === 'boolean'
  if (typeof value !== 'string' || value.length < (shape.minLength ?? 0)) return false
  return shape.pattern === undefined || new RegExp(shape.pattern).test(value)
}

function expected(shape: FieldSchema): string {
  if (shape.anyOf) return shape.anyOf.map(expected).join(' or ')
  if ('const' in shape) return JSON.stringify(shape.const)
  if (shape.enum) return shape.enum.map(one => JSON.stringify(one)).join(' or ')
  if (shape.type === 'array') return `a list, each ${expected(shape.items!)}`
  if (shape.type === 'object') return `an object, each member ${expected(shape.additionalProperties!)}`
  if (shape.type === 'integer') return `a whole number from ${shape.minimum} to ${shape.maximum}`
  if (shape.type === 'boolean') return 'true or false'
  return shape.description ?? (shape.minLength ? 'a text that is not empty' : 'a text')
}
