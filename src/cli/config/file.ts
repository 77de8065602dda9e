/** `parlance.config.json`: what the project's i18next config does not say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseBody } from '../../bundle/body.ts'
import type { OwnFields } from '../local/types.ts'
import { nearest } from '../nearest.ts'
import { usage } from '../problem.ts'
import schema from './parlance.config.schema.json' with { type: 'json' }

export const CONFIG_FILE = 'parlance.config.json'

/** What parlance.config.json may say; parlance.config.schema.json says what each is. */
export interface ParlanceConfig extends OwnFields {
  $schema?: string
  url?: string
  project?: string
}

/** A part of JSON Schema: what the schema of the config uses. */
interface Shape {
  type?: string
  const?: unknown
  enum?: unknown[]
  minLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  items?: Shape
  additionalProperties?: Shape
  anyOf?: Shape[]
  description?: string
}

const fields = schema.properties as Record<string, Shape>
const TOKEN = 'The file is for everybody who has the app: `parlance login` keeps a token, CI sets PARLANCE_TOKEN.'

/**
 * The config of a folder, undefined where there is none.
 * @throws Problem (exit 2) naming file, field, and what would be right
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
  return checkConfig(parsed(bytes))
}

/** @throws Problem (exit 2) */
export function checkConfig(config: unknown): ParlanceConfig {
  if (config === null || typeof config !== 'object' || Array.isArray(config)) {
    throw usage('It must be a JSON object.', { file: CONFIG_FILE })
  }
  for (const [name, value] of Object.entries(config)) {
    const shape = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (shape === undefined) {
      const meant = nearest(name, Object.keys(fields))
      const hint = name === 'token' ? TOKEN : meant && `Did you mean ${JSON.stringify(meant)}?`
      throw usage(`There is no such field: ${JSON.stringify(name)}.`, { file: CONFIG_FILE, ...(hint && { hint }) })
    }
    if (!fits(value, shape)) {
      const words = `${JSON.stringify(name)} must be ${expected(shape)}, not ${JSON.stringify(value)}.`
      throw usage(words, { file: CONFIG_FILE })
    }
  }
  return config as ParlanceConfig
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseBody(bytes).resource
  } catch (error) {
    const { message } = error as Error
    const [, line, column] = /\(line (\d+), column (\d+)\)/.exec(message) ?? []
    throw usage(message.replace('The body', 'It').replace(/, from character.*/, '.'), {
      file: CONFIG_FILE,
      ...(line && { line: Number(line), column: Number(column) }),
    })
  }
}

function fits(value: unknown, shape: Shape): boolean {
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

function expected(shape: Shape): string {
  if (shape.anyOf) return shape.anyOf.map(expected).join(' or ')
  if ('const' in shape) return JSON.stringify(shape.const)
  if (shape.enum) return shape.enum.map(one => JSON.stringify(one)).join(' or ')
  if (shape.type === 'array') return `a list, each ${expected(shape.items!)}`
  if (shape.type === 'object') return `an object, each member ${expected(shape.additionalProperties!)}`
  if (shape.type === 'integer') return `a whole number from ${shape.minimum} to ${shape.maximum}`
  if (shape.type === 'boolean') return 'true or false'
  return shape.description ?? (shape.minLength ? 'a text that is not empty' : 'a text')
}
