/** The faults of a refused translation, as the API describes them. */
import { z } from 'zod'
import { GATE_FAULT_CODES } from '../../bundle/gate/gate-sentence.ts'
import { component, like } from '../requests/shapes.ts'

const GateFaultShape = component('GateFault', {
  code: like(z.enum(GATE_FAULT_CODES), 'lacks'),
  form: like(z.string().optional(), 'few').describe('The plural form. Absent of a text and of a whole answer.'),
  names: like(z.array(z.string()).optional(), ['{{count}}']).describe('Placeholders, characters or words: at most 5.'),
  more: like(z.int().optional(), 2).describe('The number of further ones.'),
  length: like(z.int().optional(), 24).describe('Of `length`: characters of the text.'),
  max: like(z.int().optional(), 20).describe('Of `length`: the maximum of the note.'),
  detail: like(z.string().optional(), 'is an object in namespace "common"').describe('Of some codes, in English.'),
})

export const GateFaultsShape = z.array(GateFaultShape).describe('The reason by codes, for programs.')
